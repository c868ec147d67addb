package server

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// oneShot is a modern request that shares its connection with nothing: what it needs of a conn,
// and the worker that handles it. It is used again for other requests, of other clients too; a
// Call that somebody has kept notices that it has ended before it looks at anything here.
type oneShot struct {
	conn   conn
	worker worker
}

// Exchange handles one modern request of who: one with a claim that has no fault. It returns when
// the request was answered on p or ctx has ended, which cancels it. A subscriptions/listen goes on
// until ctx ends, the caller expires or the server is closed; all that it tells goes to p.Tell. Handlers see the values
// of ctx.
func (s *Server) Exchange(ctx context.Context, e *Envelope, who Caller, p Port) {
	l := &lane{caller: who, port: p}
	defer l.close()
	if string(e.Message.Method) == protocol.MethodSubscriptionsListen {
		s.listen(ctx, e, l)
		return
	}
	x, _ := s.exchanges.Get().(*oneShot)
	if x == nil {
		x = newOneShot(s)
	}
	x.worker.base = ctx
	if !s.carry(&x.conn) {
		l.answer(wire.AppendError(nil, e.Message.ID, false, errShutdown), errShutdown.Code)
		return
	}
	stop := context.AfterFunc(ctx, x.conn.cancelAll)
	func() {
		defer s.drop(&x.conn) // also if the handler ends its goroutine
		x.worker.take(e, l)
	}()
	if stop() {
		x.worker.base = nil
		s.exchanges.Put(x) // else cancelAll may be at work in it
	}
}

func newOneShot(s *Server) *oneShot {
	x := &oneShot{conn: conn{
		s: s, log: s.log,
		calls: make(map[wire.ID]*Call),
		quiet: make(chan struct{}),
		ended: make(chan struct{}),
	}}
	x.worker.c = &x.conn
	return x
}

// take handles one message whose answer goes to l.
func (w *worker) take(e *Envelope, l *lane) {
	w.lane = l
	defer func() { w.lane = nil }()
	if !w.c.accept() {
		if !w.c.closed() {
			w.refuse(e.Message.ID, true, errShutdown)
		}
		return
	}
	defer w.c.handled()
	w.handle(e.text, &e.Message, e.Fault)
}

// cancelAll ends all requests of c without an answer, and those that are not in the table yet.
func (c *conn) cancelAll() {
	c.close(errDropped)
	c.mu.Lock()
	ids := make([]wire.ID, 0, len(c.calls))
	for id := range c.calls {
		ids = append(ids, id)
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.cancel(id)
	}
}

// listen handles a subscriptions/listen that has a stream of its own.
func (s *Server) listen(ctx context.Context, e *Envelope, l *lane) {
	c := newConn(ctx, s, portConn{l.port})
	c.alone = true
	if !s.carry(c) {
		l.answer(wire.AppendError(nil, e.Message.ID, false, errShutdown), errShutdown.Code)
		return
	}
	defer s.drop(c)
	stop := context.AfterFunc(ctx, c.cancelAll)
	defer stop()
	defer c.out.close()
	defer c.streams.close(false)
	w := &worker{c: c}
	w.take(e, l)
	if c.streams.open() {
		var expired <-chan time.Time
		if end := l.caller.Expires; !end.IsZero() {
			t := time.NewTimer(time.Until(end))
			defer t.Stop()
			expired = t.C
		}
		select {
		case <-ctx.Done():
		case <-c.dead:
		case <-expired:
			c.streams.close(true)
		case <-s.stopping:
			c.streams.close(true)
		}
	}
}

// open reports whether there is a listen.
func (t *streams) open() bool {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return len(t.listens) > 0
}

// errReadOfPort is never seen: who has a port gives messages to the server itself.
var errReadOfPort = errors.New("mcp: a port cannot be read")

// portConn is a port as the conn of a listen: all that it tells leaves there.
type portConn struct{ port Port }

// ReadMessage implements transport.Conn.
func (p portConn) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], errReadOfPort }

// WriteMessage implements transport.Conn.
func (p portConn) WriteMessage(frame []byte) error { return p.port.Tell(trimNewline(frame)) }

// Close implements transport.Conn.
func (p portConn) Close() error { return nil }

// carry enters c into the connections that end with the server. It is false if the server is closed.
func (s *Server) carry(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.opened = true
	if s.carried == nil {
		s.carried = make(map[*conn]struct{})
	}
	s.carried[c] = struct{}{}
	s.serves.Add(1)
	return true
}

// drop takes c out again. It does nothing the second time.
func (s *Server) drop(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.carried[c]; ok {
		delete(s.carried, c)
		s.serves.Done()
	}
}

// Stopping returns a channel that is closed when the server begins to close.
func (s *Server) Stopping() <-chan struct{} { return s.stopping }

// trimNewline drops the newline that frames for a conn end with.
func trimNewline(frame []byte) []byte {
	if n := len(frame); n > 0 && frame[n-1] == '\n' {
		return frame[:n-1]
	}
	return frame
}
