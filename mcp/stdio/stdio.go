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
	// MaxMessage is the largest size of an incoming message in bytes, without its line ending. A longer line is dropped
	// while it is read, and ReadMessage returns a *transport.MessageError for it. 0 means DefaultMaxMessage.
	MaxMessage int

	// WriteTimeout is how long the write of one message may take before WriteMessage fails. It has an effect on streams
	// with write deadlines: sockets, and pipes made by Go. 0 means no limit. Standard streams have no deadlines: if the
	// client stops reading, WriteMessage waits, which is the flow control of stdio.
	WriteTimeout time.Duration

	// In and Out replace the standard streams of the process in New, for tests. If one of them is set, New changes neither
	// file descriptors nor signals, and a nil one means os.Stdin or os.Stdout. Over ignores both.
	In  io.Reader
	Out io.Writer

	// NoSignals leaves SIGINT, SIGTERM and SIGPIPE to the program: Stopped returns nil.
	NoSignals bool
}

// New returns the conn of this process; see the package comment. Errors of New are returned by every read and write. A
// process has one such conn at a time; all reads and writes of a second one fail, until the first is closed and New is
// called again.
//
// The conn implements transport.Stopper. It catches SIGINT and SIGTERM from the first call of Stopped until Close or
// the first signal; a second signal has its usual effect. An ignored SIGINT stays ignored. While the conn is open, a
// write to a closed stderr is an error and does not end the process.
//
// Close restores file descriptors 0 and 1 and os.Stdout. It does not interrupt a ReadMessage or WriteMessage that waits
// in the kernel; these return when the peer writes, reads or closes, and a server that shuts down must not wait for
// them. New and Close change os.Stdout, so no other goroutine may use that variable meanwhile.
func New(opts *Options) transport.Conn {
	o, err := opts.orDefault()
	if err != nil {
		return broken{err}
	}
	if o.In == nil && o.Out == nil {
		return newProcess(o)
	}
	// The wrappers have no method Close, so that the conn does not close streams that the caller did not pass.
	if o.In == nil {
		o.In = struct{ io.Reader }{os.Stdin}
	}
	if o.Out == nil {
		o.Out = struct{ io.Writer }{os.Stdout}
	}
	return newStream(o.In, o.Out, o)
}

// Over returns a conn that reads lines from r and writes lines to w, such as the pipes of a child process, a socket or
// a file. Close closes w and r if they are io.Closers, in this order, which unblocks calls on most kinds of streams. If
// an option is out of range, every read and write fails with that error.
func Over(r io.Reader, w io.Writer, opts *Options) transport.Conn {
	o, err := opts.orDefault()
	if err != nil {
		return broken{err}
	}
	return newStream(r, w, o)
}

// orDefault returns o with the defaults. The error says which option is out of range.
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
