package transport

import (
	"errors"
	"io"
	"sync"
)

const (
	traceIn  = "→ "
	traceOut = "← "
)

// Trace returns a conn that behaves like c, the conn of a server, and prints every message to w. Each message is one
// line: "→ " stands before a message to the server, and "← " before a message from it. For a dropped message it prints
// the error. Each line is one Write, before a message is sent and after one was received. Errors of w are ignored.
//
// The result implements [Stopper] and [Named] on behalf of c.
func Trace(c Conn, w io.Writer) Conn {
	return &traced{Conn: c, w: w}
}

type traced struct {
	Conn

	mu   sync.Mutex // guards the fields below: the reader and the writer print at the same time
	w    io.Writer
	line []byte
}

// ReadMessage implements [Conn].
func (t *traced) ReadMessage(buf []byte) ([]byte, error) {
	msg, err := t.Conn.ReadMessage(buf)
	if err == nil {
		t.print(traceIn, msg)
	} else if bad, ok := errors.AsType[*MessageError](err); ok {
		t.print(traceIn, []byte("("+bad.Err.Message+")"))
	}
	return msg, err
}

// WriteMessage implements [Conn].
func (t *traced) WriteMessage(msg []byte) error {
	t.print(traceOut, trimNewline(msg))
	return t.Conn.WriteMessage(msg)
}

// Stopped implements [Stopper]. The channel is nil if the traced conn is not a Stopper.
func (t *traced) Stopped() <-chan struct{} {
	if s, ok := t.Conn.(Stopper); ok {
		return s.Stopped()
	}
	return nil
}

// Name implements [Named]. It is empty if the traced conn has no name.
func (t *traced) Name() string {
	if n, ok := t.Conn.(Named); ok {
		return n.Name()
	}
	return ""
}

func (t *traced) print(prefix string, msg []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = append(t.line[:0], prefix...)
	t.line = append(t.line, msg...)
	t.line = append(t.line, '\n')
	_, _ = t.w.Write(t.line)
}
