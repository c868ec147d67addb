// Package stdio is the transport of MCP over the standard input and output of a process, or over any pair of byte
// streams. Two functions to know: [New] returns the conn of the process, and [Over] a conn on any streams, both with
// [Options].
//
// Each message is one line. Lines end with "\n"; one "\r" before it is dropped; empty lines are skipped; the last line
// before the end of input needs no newline.
//
// The conn of a process owns its standard streams. It uses private copies of file descriptors 0 and 1. While it is
// open, descriptor 1 and os.Stdout are redirected to stderr, and descriptor 0 to the null device. Therefore
// fmt.Println in user code, a C library or a child process can neither write into the protocol stream nor read from
// it. On systems without dup2 only the variable os.Stdout is redirected.
//
// The way of a message: process.go has the streams of the process and its signals; stream.go reads and writes whole
// messages on any streams; lines.go cuts the input into lines and drops those that are too long. The files fd_*.go,
// dup_*.go and stdout.go keep the descriptors apart.
package stdio
