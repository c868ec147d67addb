package eventlog

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

// Detached is the http.ResponseWriter for a stream that stays open for as long as its client does. Once the stream is
// open, it takes the connection over from net/http. That saves the goroutine and the buffers of net/http, most of the
// memory of a stream, and a quarter of the cost of an event. The connection carries no further request.
//
// Before that all calls are passed on to net/http. Afterwards only one goroutine at a time may call the methods, except
// SetWriteDeadline.
type Detached struct {
	from   *Opener
	w      http.ResponseWriter // of net/http; nil once the connection is taken
	r      *http.Request       // as the handler sees it
	cancel context.CancelFunc  // ends the context of r
	stay   func() (release func(), ok bool)

	left chan struct{} // closed when net/http may go on: the connection is taken, or the handler has returned
	how  outcome       // of the handler, if the connection was not taken; set before left is closed
	// closed when net/http is done with the request; nil afterwards
	served <-chan struct{}

	conn          net.Conn // once it is taken
	release, stop func()   // what stay and leavers.watch have returned
	buf           *[]byte  // a chunk that was not written yet; nil for none
	err           error    // of a write; after it nothing is written
}

// outcome is how a handler has ended.
type outcome uint8

const (
	returned outcome = iota
	panicked         // and the connection is to be closed
	exited           // it has ended its goroutine
)

// Detach runs handle for r, on a goroutine of its own. It returns when handle has returned, or has opened a stream that
// has left net/http. Then the caller must return to the http.Server at once, through no other code of the program.
// Before a stream leaves, stay is called, so that the server waits for the stream; if ok is false, the stream does not
// leave. release is called when the stream ends.
func (o *Opener) Detach(w http.ResponseWriter, r *http.Request, stay func() (release func(), ok bool),
	handle http.HandlerFunc,
) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	d := &Detached{from: o, w: w, r: r.WithContext(ctx), served: r.Context().Done(), cancel: cancel, stay: stay,
		left: make(chan struct{})}
	go d.run(handle)
	select {
	case <-d.left:
	case <-r.Context().Done():
		cancel()
		<-d.left
	}
	if d.w == nil {
		return
	}
	switch d.how {
	case panicked:
		panic(http.ErrAbortHandler) // run has logged the panic, so net/http need not
	case exited:
		runtime.Goexit()
	}
}

// Attached returns the writer of net/http that w wraps, or w itself. A stream on it does not leave net/http. It is for
// responses to messages of sessions, whose handlers go on without the client.
func Attached(w http.ResponseWriter) http.ResponseWriter {
	if d, ok := w.(*Detached); ok {
		return d.w
	}
	return w
}

// run calls the handler.
func (d *Detached) run(handle http.HandlerFunc) {
	how := exited
	defer func() {
		if p := recover(); p != nil {
			how = panicked
			if p != http.ErrAbortHandler { //nolint:errorlint // the very error, as net/http compares it
				d.from.log.Error("mcphttp: panic while a request was handled", "panic", p, "stack", string(debug.Stack()))
			}
		}
		d.cancel()
		if d.conn != nil {
			d.end(how)
			return
		}
		d.how = how
		close(d.left)
	}()
	handle(d, d.r)
	how = returned
}

// take takes the connection over from net/http, after the head of the response was written. If that is not possible, it
// changes nothing.
func (d *Detached) take() (ok bool) {
	release, ok := d.stay()
	if !ok {
		return false
	}
	conn, _, err := http.NewResponseController(d.w).Hijack() // what was read ahead belongs to a request that is not served
	if err != nil {
		release()
		return false
	}
	d.conn, d.release, d.w = conn, release, nil
	*d.r = *new(http.Request).WithContext(d.r.Context()) // the other fields would keep buffers of net/http
	d.r.Body = http.NoBody
	close(d.left)
	<-d.served // until then, the code around Detach may still set deadlines of conn
	d.served = nil
	_ = conn.SetDeadline(time.Time{})
	d.stop = d.from.leavers.watch(conn, d.cancel)
	return true
}

// read calls gone when the client has closed the connection, or the server has.
func read(conn net.Conn, gone func()) {
	var b [64]byte
	for {
		if _, err := conn.Read(b[:]); err != nil {
			gone()
			return
		}
	}
}

// drainTime is how long the end of a stream reads what its client has sent too much. The time may pass before the first
// read, on a busy machine. Clients close the connection sooner, because the head asks for that.
const drainTime = 50 * time.Millisecond

// end ends the response, and closes the connection.
func (d *Detached) end(how outcome) {
	defer d.release()
	d.stop()
	if how == returned && d.err == nil {
		_ = d.conn.SetWriteDeadline(time.Now().Add(d.from.writeTimeout))
		_, _ = d.conn.Write([]byte("0\r\n\r\n"))
		_ = d.conn.SetReadDeadline(time.Now().Add(drainTime))
		_, _ = io.Copy(io.Discard, d.conn) // with unread bytes, Close would make the system drop what was written
	}
	_ = d.conn.Close()
}

const (
	// chunkSize is how much is sent with one write at most.
	chunkSize = 16 << 10
	// chunkHead is the room for the size of a chunk, in hexadecimal digits and with the end of the line.
	chunkHead = 8
)

// chunks are buffers for chunks, of *[]byte.
var chunks = sync.Pool{New: func() any { return new(make([]byte, chunkHead, 1<<10)) }}

// Write implements io.Writer.
func (d *Detached) Write(b []byte) (n int, err error) {
	if d.conn == nil {
		return d.w.Write(b)
	}
	for len(b) > 0 {
		if d.buf == nil {
			d.buf = chunks.Get().(*[]byte)
		}
		piece := b[:min(len(b), chunkHead+chunkSize-len(*d.buf))]
		*d.buf = append(*d.buf, piece...)
		n, b = n+len(piece), b[len(piece):]
		if len(*d.buf) == chunkHead+chunkSize {
			if err := d.FlushError(); err != nil {
				return n, err
			}
		}
	}
	return n, d.err
}

// FlushError is for [http.ResponseController].
func (d *Detached) FlushError() error {
	if d.conn == nil {
		return http.NewResponseController(d.w).Flush()
	}
	if d.buf == nil {
		return d.err
	}
	b := *d.buf
	var head [chunkHead]byte
	size := append(strconv.AppendInt(head[:0], int64(len(b)-chunkHead), 16), "\r\n"...)
	from := chunkHead - len(size)
	copy(b[from:], size)
	b = append(b, "\r\n"...)
	if d.err == nil {
		_, d.err = d.conn.Write(b[from:])
	}
	*d.buf = b[:chunkHead]
	chunks.Put(d.buf)
	d.buf = nil
	return d.err
}

// Header implements http.ResponseWriter.
func (d *Detached) Header() http.Header {
	if d.conn == nil {
		return d.w.Header()
	}
	return make(http.Header) // the header was sent already
}

// WriteHeader implements http.ResponseWriter.
func (d *Detached) WriteHeader(status int) {
	if d.conn == nil {
		d.w.WriteHeader(status)
	}
}

// SetReadDeadline is for [http.ResponseController].
func (d *Detached) SetReadDeadline(t time.Time) error {
	if d.conn == nil {
		return http.NewResponseController(d.w).SetReadDeadline(t)
	}
	return nil // no request follows on the connection
}

// SetWriteDeadline is for [http.ResponseController].
func (d *Detached) SetWriteDeadline(t time.Time) error {
	if d.conn == nil {
		return http.NewResponseController(d.w).SetWriteDeadline(t)
	}
	return d.conn.SetWriteDeadline(t)
}
