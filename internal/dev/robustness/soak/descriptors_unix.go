//go:build unix

package main

import "syscall"

// raiseDescriptors lets this process and the servers have as many descriptors as the system allows, and returns how
// many these are.
func raiseDescriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	limit.Cur = limit.Max
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	return int(min(uint64(limit.Cur), 1<<20)) //nolint:unconvert // signed on some systems
}
