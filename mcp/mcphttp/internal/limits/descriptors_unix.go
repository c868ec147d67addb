//go:build unix

package limits

import (
	"errors"
	"syscall"
)

// Descriptors returns how many files and connections the process may have open; 0 if that is not known.
func Descriptors() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int64(min(uint64(limit.Cur), 1<<30)) //nolint:unconvert // signed on some systems
}

// tooManyFiles reports whether err says that the process has no descriptor left.
func tooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
