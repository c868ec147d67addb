package transport

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	defaultPipeMessages = 64
	defaultPipeTimeout  = 5 * time.Second

	// Buffers of more than maxPipeSpare bytes are not kept for the next message.
	maxPipeSpare = 64 << 10
)

// PipeOptions configures [Pipe]. Nil means all defaults.
type PipeOptions struct {
	// Messages is how many messages each direction holds before WriteMessage waits for the reader. 0 means 64.
	Messages int
	// WriteTimeout is how long WriteMessage waits for room before it fails and closes the conn. 0 means 5 seconds,
	// and a negative number no limit.
	WriteTimeout time.Duration
}

// check returns an error that says which option is out of range; nil if none is.
func (o *PipeOptions) check() error {
	if o.Messages < 0 {
		return fmt.Errorf("transport: PipeOptions.Messages is %d: want 0 or more", o.Messages)
	}
	return nil
}

// Pipe returns two connected conns in memory. Each reads the messages that the other one writes, in order.
//
// After Close of one end, the other end reads the messages that were written before and then io.EOF, and its writes
// fail with io.ErrClosedPipe. A write that exceeds the timeout fails with an error that is os.ErrDeadlineExceeded and
// closes its end. Pipe starts no goroutine, and an unused pair needs no Close. If an option is out of range, every read
// and write of both ends fails with that error.
func Pipe(opts *PipeOptions) (client, server Conn) {
	var o PipeOptions
	if opts != nil {
		o = *opts
	}
	wrong := o.check()
	if o.Messages <= 0 {
		o.Messages = defaultPipeMessages
	}
	o.WriteTimeout = max(cmp.Or(o.WriteTimeout, defaultPipeTimeout), 0)
	up, down := newQueue(o.Messages), newQueue(o.Messages)
	a := &pipeEnd{in: down, out: up, timeout: o.WriteTimeout, wrong: wrong, closed: make(chan struct{})}
	b := &pipeEnd{in: up, out: down, timeout: o.WriteTimeout, wrong: wrong, closed: make(chan struct{})}
	a.peer, b.peer = b.closed, a.closed
	return a, b
}

// queue holds the messages of one direction. Buffers are moved from free to full and back, so that a pipe in use does
// not allocate.
type queue struct {
	full chan []byte
	free chan []byte
}

func newQueue(n int) *queue {
	return &queue{full: make(chan []byte, n), free: make(chan []byte, n)}
}

// copyOf returns a copy of msg, in a free buffer if there is one.
func (q *queue) copyOf(msg []byte) []byte {
	var b []byte
	select {
	case b = <-q.free:
	default:
	}
	return append(b[:0], msg...)
}

// release offers a buffer for the next message.
func (q *queue) release(b []byte) {
	if cap(b) > maxPipeSpare {
		return
	}
	select {
	case q.free <- b:
	default:
	}
}

type pipeEnd struct {
	in, out *queue
	timeout time.Duration
	timer   *time.Timer // of WriteMessage, made when it first has to wait
	failed  error       // of WriteMessage
	wrong   error       // of the options

	closing sync.Once
	closed  chan struct{}
	peer    <-chan struct{} // the field closed of the other end
}

// Name implements [Named].
func (e *pipeEnd) Name() string { return "memory" }

// ReadMessage implements [Conn].
func (e *pipeEnd) ReadMessage(buf []byte) ([]byte, error) {
	buf = buf[:0]
	switch {
	case e.wrong != nil:
		return buf, e.wrong
	case isClosed(e.closed):
		return buf, ErrClosed
	}
	var b []byte
	select {
	case b = <-e.in.full:
	case <-e.closed:
		return buf, ErrClosed
	case <-e.peer:
		// Both channels may have been ready: what was written before the close still counts.
		select {
		case b = <-e.in.full:
		default:
			return buf, io.EOF
		}
	}
	buf = append(buf, b...)
	e.in.release(b)
	return buf, nil
}

// WriteMessage implements [Conn].
func (e *pipeEnd) WriteMessage(msg []byte) error {
	switch {
	case e.wrong != nil:
		return e.wrong
	case e.failed != nil:
		return e.failed
	case isClosed(e.closed):
		return ErrClosed
	case isClosed(e.peer):
		return io.ErrClosedPipe
	}
	b := e.out.copyOf(trimNewline(msg))
	select {
	case e.out.full <- b:
		return nil
	default:
		return e.wait(b)
	}
}

// wait sends b as soon as there is room. If the timeout is over first, it closes e, and this and all later writes fail.
func (e *pipeEnd) wait(b []byte) error {
	var expired <-chan time.Time
	if e.timeout > 0 {
		if e.timer == nil {
			e.timer = time.NewTimer(e.timeout)
		} else {
			e.timer.Reset(e.timeout)
		}
		defer e.timer.Stop()
		expired = e.timer.C
	}
	select {
	case e.out.full <- b:
		return nil
	case <-e.closed:
		return ErrClosed
	case <-e.peer:
		return io.ErrClosedPipe
	case <-expired:
		e.failed = fmt.Errorf("transport: peer took no message for %v: %w", e.timeout, os.ErrDeadlineExceeded)
		e.Close()
		return e.failed
	}
}

// Close implements [Conn].
func (e *pipeEnd) Close() error {
	e.closing.Do(func() { close(e.closed) })
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// trimNewline drops the newline that a caller may leave at the end of a message.
func trimNewline(msg []byte) []byte {
	if n := len(msg); n > 0 && msg[n-1] == '\n' {
		return msg[:n-1]
	}
	return msg
}
