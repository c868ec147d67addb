//go:build unix

package files

import "syscall"

// With openFlags, opening a pipe does not wait for a writer, and opening a terminal does not make it the controlling
// terminal of this process. With dirFlags only directories can be opened.
const (
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
	dirFlags  = syscall.O_NONBLOCK | syscall.O_DIRECTORY
)
