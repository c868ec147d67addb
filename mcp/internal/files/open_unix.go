//go:build unix

package files

import "syscall"

// openFlags keep the opening of a pipe from waiting for a writer, and of a terminal from becoming
// ours. dirFlags open a directory and nothing else.
const (
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
	dirFlags  = syscall.O_NONBLOCK | syscall.O_DIRECTORY
)
