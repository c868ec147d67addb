// Package stdio carries MCP messages over the standard input and output of a process, or over any pair of byte streams.
//
// The framing is one message per line. Lines end with "\n"; one "\r" before it is dropped; empty lines are skipped; the
// last line before the end of input needs no newline.
//
// The conn of a process owns its standard streams. It speaks over private copies of file descriptors 0 and 1, and for
// as long as it is open fd 1 (and os.Stdout) leads to stderr and fd 0 to the null device. So neither fmt.Println in
// user code, nor a C library, nor a child process can put bytes into the protocol stream or take bytes out of it. On
// systems without dup2 only the variable os.Stdout is redirected.
package stdio

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp/transport"
)

// DefaultMaxMessage is the size limit of an incoming message when Options.MaxMessage is 0, in bytes.
const DefaultMaxMessage = 4 << 20

// Options configures [New] and [Over]. Nil means all defaults.
type Options struct {
	// MaxMessage is the size limit of an incoming message in bytes, without its line ending. A longer line is dropped
	// without being stored, and ReadMessage returns a *transport.MessageError for it. 0 means DefaultMaxMessage.
	MaxMessage int

	// WriteTimeout is how long the peer may take for one message before WriteMessage fails. It works on streams that
	// have write deadlines: sockets, and pipes made by Go. 0 means no limit. The streams of a process have none: a
	// client that stops reading holds up the writer, which is the flow control of stdio.
	WriteTimeout time.Duration

	// In and Out replace the standard streams of the process in New, for tests. If either is set, file descriptors and
	// signals are left alone; the other one, if nil, is os.Stdin or os.Stdout as it stands. Over ignores both.
	In  io.Reader
	Out io.Writer

	// NoSignals leaves SIGINT, SIGTERM and SIGPIPE alone: Stopped returns nil.
	NoSignals bool
}

// New returns the conn of this process, see the package comment. It never fails: what went wrong is returned by every
// read and write. In particular one process has one such conn at a time, and a second one is broken until the first
// is closed and New is called again.
//
// The conn implements transport.Stopper. From the first call of Stopped until Close, or until the first signal,
// SIGINT and SIGTERM are caught; a second signal acts as if nobody had asked. An ignored SIGINT stays ignored. While
// the conn is open, writing to a stderr that nobody reads any more is an error instead of the end of the process.
//
// Close restores file descriptors 0 and 1 and os.Stdout. It cannot interrupt a ReadMessage or WriteMessage that
// waits in the kernel: these return when the peer moves, and a server that shuts down must not wait for them. New and
// Close change os.Stdout, so no other goroutine may be using that variable meanwhile.
func New(opts *Options) transport.Conn {
	o, err := opts.orDefault()
	if err != nil {
		return broken{err}
	}
	if o.In == nil && o.Out == nil {
		return newProcess(o)
	}
	// Streams that the caller did not pass are not ours to close.
	if o.In == nil {
		o.In = struct{ io.Reader }{os.Stdin}
	}
	if o.Out == nil {
		o.Out = struct{ io.Writer }{os.Stdout}
	}
	return newStream(o.In, o.Out, o)
}

// Over returns a conn that reads lines from r and writes lines to w: the pipes of a child process, a socket, a file.
// Close closes w and r if they are io.Closers, in this order, and thereby unblocks calls on most kinds of stream. An
// option that is out of range is the error of every read and write.
func Over(r io.Reader, w io.Writer, opts *Options) transport.Conn {
	o, err := opts.orDefault()
	if err != nil {
		return broken{err}
	}
	return newStream(r, w, o)
}

// orDefault returns o with the defaults, and what is out of range.
func (o *Options) orDefault() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	switch {
	case v.MaxMessage < 0:
		return v, fmt.Errorf("stdio: Options.MaxMessage is %d: want 0 or more", v.MaxMessage)
	case v.WriteTimeout < 0:
		return v, fmt.Errorf("stdio: Options.WriteTimeout is %v: want 0 or more", v.WriteTimeout)
	case v.MaxMessage == 0:
		v.MaxMessage = DefaultMaxMessage
	}
	return v, nil
}
