//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the greatest resident size that a process has had.
func peak(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}
