//go:build unix

package files

import "syscall"

// openFlags open a pipe without waiting for a writer, and a terminal without making it that of this process. dirFlags
// open only directories.
const (
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
	dirFlags  = syscall.O_NONBLOCK | syscall.O_DIRECTORY
)
