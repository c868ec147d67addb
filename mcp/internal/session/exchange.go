package session

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// oneShot has the conn and the worker of a modern request that shares its connection with no other request. It is used
// again for other requests, also of other clients. A handler may keep its Call for longer than the request; such a Call
// uses nothing of the oneShot once it has ended.
type oneShot struct {
	conn   Conn
	worker *Worker
	leave  leave
}

// Exchange handles one modern request of the given sender. The request must declare a revision and have no fault.
// Exchange returns when the response was written to w, or when ctx has ended, because the end of ctx cancels the
// request. A subscriptions/listen goes on until ctx ends, the credentials of the sender expire or the server is closed,
// and all its notifications go to w.Notify. If the type of w has a method Client() string, a listen counts for the
// share of the limits of the client with this name. Handlers see the values of ctx.
func (h *Host) Exchange(ctx context.Context, e *Envelope, who call.Caller, w call.ResponseWriter) {
	x := call.NewHTTPExchange(who, w)
	defer x.Close()
	if string(e.Message.Method) == protocol.MethodSubscriptionsListen {
		h.listen(ctx, e, x, w)
		return
	}
	h.exchange(ctx, e, x)
}

// exchange handles one request that shares its connection with nothing.
func (h *Host) exchange(ctx context.Context, e *Envelope, x *call.HTTPExchange) {
	one, _ := h.exchanges.Get().(*oneShot)
	if one == nil {
		one = new(oneShot)
		one.conn.of(h)
		one.worker = newWorker(h, &one.conn)
	}
	one.worker.base = ctx // the context of this request; removed again below
	if !h.track(one) {
		h.refuseClosed(e, x)
		return
	}
	one.leave.await(ctx, one.conn.cancelAll)
	if e.own != nil { // a task is not brief
		one.leave.watch()
	}
	whole := false
	defer func() { // also if the handler ends its goroutine, and the context goes on
		h.untrack(one)
		if one.leave.stop() && whole { // else cancelAll may be at work in it
			one.worker.base = nil
			h.exchanges.Put(one)
		}
	}()
	one.worker.take(e, x)
	whole = true
}

// briefly is how long a request runs before anything waits for the end of its context. Starting that wait costs a
// twentieth of a short request.
const briefly = time.Millisecond

// leave calls a function when the client of a request has left: when the context of the request ends. It is used again
// for other requests.
type leave struct {
	timer *time.Timer // calls watch, if the request is not brief

	mu      sync.Mutex
	ctx     context.Context // of the request; nil for none
	cancel  func()
	unwatch func() bool // ends what watch began; nil if it began nothing
}

// await makes l call cancel when ctx ends, until stop is called. It returns at once.
func (l *leave) await(ctx context.Context, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx, l.cancel = ctx, cancel; l.timer == nil {
		l.timer = time.AfterFunc(briefly, l.watch)
	} else {
		l.timer.Reset(briefly)
	}
}

// watch begins to wait for the end of the context. The timer calls it, perhaps late, when l already serves another
// request.
func (l *leave) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx != nil && l.unwatch == nil {
		l.unwatch = context.AfterFunc(l.ctx, l.cancel)
	}
}

// stop ends the wait for the end of the context. It returns false if cancel was called, and may still be running.
func (l *leave) stop() bool {
	l.timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	unwatch := l.unwatch
	l.ctx, l.cancel, l.unwatch = nil, nil, nil
	return unwatch == nil || unwatch()
}

// shutDown implements [tracked].
func (one *oneShot) shutDown() {
	one.conn.Calls.Stop()
	one.conn.drain(nil)
	one.conn.abandon()
	one.conn.host.untrack(one)
}

// take handles one message whose response goes to x.
func (w *Worker) take(e *Envelope, x *call.HTTPExchange) {
	w.Responder = x
	defer func() { w.Responder = nil }()
	if !w.Conn.Calls.Accept(1) {
		w.Number = w.host.Counts.NumberOf(e.Message.Method)
		if !w.Conn.Calls.Dropped() {
			e.own.fails(engine.ErrShutdown)
			w.refuse(e.Message.ID, true, engine.ErrShutdown)
		} else if e.Message.IsRequest() {
			w.counts().End(w.Number, counters.CodeCancelled)
		}
		return
	}
	defer w.Conn.Calls.Handled()
	if e.own != nil {
		w.own = e.own
		w.ID, w.Method, w.Rev = e.Message.ID, e.Message.Method, w.own.Revision
		w.Number = w.host.Counts.NumberOf(w.Method)
		w.Run(nil, func(b []byte) ([]byte, error) { return w.own.Answer(w, w.handler, b) })
		return
	}
	w.handle(e.Text, &e.Message, e.Fault)
}

// Perform handles a request of the server itself, with the rights of the given caller, as [Host.Exchange] handles a
// request of a client.
func (h *Host) Perform(ctx context.Context, r *Internal, who call.Caller, w call.ResponseWriter) {
	x := call.NewHTTPExchange(who, w)
	defer x.Close()
	e := Envelope{own: r}
	e.Message.ID, e.Message.Method = r.ID, []byte(r.Method)
	h.exchange(ctx, &e, x)
}

// listenExchange is a subscriptions/listen that has a stream of its own.
type listenExchange struct{ Conn }

// listen handles a subscriptions/listen that has a stream of its own.
func (h *Host) listen(ctx context.Context, e *Envelope, x *call.HTTPExchange, to call.ResponseWriter) {
	c := new(listenExchange)
	c.open(context.WithoutCancel(ctx), h, writerConn{to})
	if !h.track(c) {
		h.refuseClosed(e, x)
		return
	}
	defer h.untrack(c)
	stop := context.AfterFunc(ctx, c.cancelAll)
	defer stop()
	defer c.closeOutgoing()
	w := newWorker(h, &c.Conn)
	blind := h.Blind() // before the listen has its place, so that no closing of the channel is missed
	w.take(e, x)
	if c.Streams().HasListens() {
		e.Text, e.Message = nil, wire.Message{} // it may name thousands of URIs, and the listen may last for days
		if holder, ok := to.(requestHolder); ok {
			holder.ReleaseRequest()
		}
		c.await(ctx, x.Caller.Expires, blind)
	}
}

// refuseClosed answers a request that has come after h was closed.
func (h *Host) refuseClosed(e *Envelope, x *call.HTTPExchange) {
	h.Counts.Answered(e.Message.Method, engine.ErrShutdown.Code)
	e.own.fails(engine.ErrShutdown)
	x.Respond(wire.AppendError(nil, e.Message.ID, false, engine.ErrShutdown), engine.ErrShutdown.Code, nil)
}

// requestHolder is a [call.ResponseWriter] that counts the bytes of the request in memory against a limit. When a
// listen is open, its request is no longer needed, and ReleaseRequest ends the counting.
type requestHolder interface{ ReleaseRequest() }

// await returns once the listen has to end: ctx or the conn ends, the time expires is over (zero for never), the
// channel blind is closed or the host closes.
func (c *listenExchange) await(ctx context.Context, expires time.Time, blind <-chan struct{}) {
	var expired <-chan time.Time
	if !expires.IsZero() {
		t := time.NewTimer(time.Until(expires))
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-ctx.Done():
	case <-c.dead.Done():
	case <-expired:
		c.Streams().Close(true)
	case <-blind:
		c.Streams().Close(true)
	case <-c.host.Stopping():
		c.Streams().Close(true)
	}
}

// shutDown implements [tracked]. A listen ends by itself when the host closes, unless its subscription is never
// acknowledged.
func (c *listenExchange) shutDown() {
	c.Calls.Stop()
	c.drain(nil)
	select {
	case <-c.Calls.Quiet():
	default:
		c.abandon()
	}
}

// errWriteOnly is what ReadMessage of a writerConn returns. Nothing calls it.
var errWriteOnly = errors.New("mcp: a response writer cannot be read")

// writerConn is the transport.Conn of a listen. It writes to a [call.ResponseWriter].
type writerConn struct{ w call.ResponseWriter }

// Client implements clientNamer.
func (c writerConn) Client() string {
	if named, ok := c.w.(clientNamer); ok {
		return named.Client()
	}
	return ""
}

// ReadMessage implements transport.Conn.
func (c writerConn) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], errWriteOnly }

// WriteMessage implements transport.Conn.
func (c writerConn) WriteMessage(frame []byte) error { return c.w.Notify(trimNewline(frame)) }

// restNotifier is a [call.ResponseWriter] that takes an update in two parts. Many listens can share the memory of the
// second part.
type restNotifier interface {
	// NotifyInTwo is Notify for the message that consists of frame followed by rest. It may append to frame, but must not
	// append to rest.
	NotifyInTwo(frame, rest []byte) error
}

// WriteUpdate implements pubsub.UpdateWriter.
func (c writerConn) WriteUpdate(frame []byte, rest *pubsub.Rest) error {
	defer runtime.KeepAlive(rest) // so that other listens find the same rest until this one has written it
	if w, ok := c.w.(restNotifier); ok && rest != nil {
		return w.NotifyInTwo(frame, trimNewline(rest.Text()))
	}
	return c.WriteMessage(append(frame, rest.Text()...))
}

// Close implements transport.Conn.
func (c writerConn) Close() error { return nil }

// trimNewline removes the newline at the end of a frame.
func trimNewline(frame []byte) []byte {
	if n := len(frame); n > 0 && frame[n-1] == '\n' {
		return frame[:n-1]
	}
	return frame
}

// Envelope is a message of which so much was parsed that the transport can decide whether to accept it.
type Envelope struct {
	engine.Envelope
	own *Internal // in place of the text
}

// OpenEnvelope parses the envelope of text, which is one message or batch within the limits of the transport.
func OpenEnvelope(text []byte) Envelope { return Envelope{Envelope: era.Table.Open(text)} }

// Notifies reports whether e is a notification of an extension. Its handling runs code of the program that uses this
// library.
func (h *Host) Notifies(e *Envelope) bool {
	x := h.Extensions
	return x != nil && e.Message.IsNotification() && x.Notifies(e.Message.Method)
}

// VersionFault returns the error of the response if a modern request cannot be answered in the revision that it
// declares; nil if it can be, or if it declares none.
func (e *Envelope) VersionFault() *wire.Error {
	if !e.Meta.Declared {
		return nil
	}
	_, fault := era.Table.Modernize(&e.Meta)
	return fault
}

// NullID reports whether the response to a message without a readable id has the id null. rev is the revision of the
// session in which the message came; 0 without one.
func NullID(rev protocol.Revision) bool { return era.Table.NullID(rev, false) }

// ModernVersion reports whether revision, the value of a header, is a modern revision or one that this server does not
// know.
func ModernVersion(revision string) bool {
	rev, ok := era.Table.Parse(revision)
	return !ok || era.IsModern(rev)
}
