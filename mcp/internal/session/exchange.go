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

// oneShot is a modern request that shares its connection with no other: its conn, and the worker that handles it. It is
// used again for other requests, also of other clients. A Call that a handler has kept notices that it has ended before
// it uses any of this.
type oneShot struct {
	conn   Conn
	worker *Worker
	leave  leave
}

// Exchange handles one modern request: one that declares a revision and has no fault. who is its sender. Exchange
// returns when the response was written to w, or ctx has ended, which cancels the request. A subscriptions/listen goes
// on until ctx ends, the caller expires or the server is closed; all its notifications go to w.Notify. If w has a
// method Client() string, that names the client for whose share of the limits a listen counts. Handlers see the values
// of ctx.
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
	one.worker.base = ctx // that of the message at hand; taken out again below
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

// leave calls a function when the client of a request has left. It is used again for other requests.
type leave struct {
	timer *time.Timer // calls watch, if the request is not brief

	mu      sync.Mutex
	ctx     context.Context // of the request; nil for none
	cancel  func()
	unwatch func() bool // ends what watch began; nil if it began nothing
}

// await begins to wait for the end of ctx, to call cancel.
func (l *leave) await(ctx context.Context, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx, l.cancel = ctx, cancel; l.timer == nil {
		l.timer = time.AfterFunc(briefly, l.watch)
	} else {
		l.timer.Reset(briefly)
	}
}

// watch runs when the timer fires. It may run late, when it was set for another request.
func (l *leave) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx != nil && l.unwatch == nil {
		l.unwatch = context.AfterFunc(l.ctx, l.cancel)
	}
}

// stop ends the wait. It returns false if cancel was called.
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
	w.own = e.own
	defer func() { w.Responder, w.own = nil, nil }()
	if !w.Conn.Calls.Accept(1) {
		w.Number = w.host.Counts.NumberOf(e.Message.Method)
		if !w.Conn.Calls.Dropped() {
			w.refuse(e.Message.ID, true, engine.ErrShutdown)
		} else if e.Message.IsRequest() {
			w.counts().End(w.Number, counters.CodeCancelled)
		}
		return
	}
	defer w.Conn.Calls.Handled()
	if w.own != nil {
		w.ID, w.Method, w.Rev = e.Message.ID, e.Message.Method, w.own.Revision
		w.Number = w.host.Counts.NumberOf(w.Method)
		w.Run(nil, func(b []byte) ([]byte, error) { return w.own.Answer(w, w.handler, b) })
		return
	}
	w.handle(e.Text, &e.Message, e.Fault)
}

// Internal is a request that the server makes itself, to run the handler of a task.
type Internal struct {
	ID       wire.ID
	Method   string
	Revision protocol.Revision // one whose requests stand alone
	// Target and Meta are what an observer is told: the name of the feature, and the _meta as JSON.
	Target string
	Meta   []byte
	// Answer answers it by the handler of the Worker: it returns b with the result, or the error of the response.
	Answer func(w *Worker, h Handler, b []byte) ([]byte, error)
	// Fault is the error of the response, set before that is written. A result that says that a limit was exceeded has
	// one, too.
	Fault *wire.Error
}

// fails notes the error of a response. The receiver is nil for requests of clients.
func (r *Internal) fails(fault *wire.Error) {
	if r != nil {
		r.Fault = fault
	}
}

// Perform handles a request of the server itself with the rights of the caller who, as [Host.Exchange] does one of a
// client.
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

// requestHolder is a [call.ResponseWriter] that counts the bytes of the request until it is told that they are no
// longer needed, because a listen is open.
type requestHolder interface{ ReleaseRequest() }

// await returns once the listen has to end, for example because the replica is blind.
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

// shutDown implements [tracked]. A listen ends by itself unless its subscription is never acknowledged.
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

// restNotifier is a [call.ResponseWriter] that takes the end of an update separately, because many listens may have the
// same end.
type restNotifier interface {
	// NotifyInTwo is Notify for a message that is frame and then rest. Only frame may be appended to.
	NotifyInTwo(frame, rest []byte) error
}

// WriteUpdate implements pubsub.UpdateWriter.
func (c writerConn) WriteUpdate(frame []byte, rest *pubsub.Rest) error {
	defer runtime.KeepAlive(rest) // so that others who need the same rest meanwhile find this one
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

// Envelope is a message of which enough was read for the transport to decide whether to accept it.
type Envelope struct {
	engine.Envelope
	own *Internal // in place of the text
}

// OpenEnvelope reads text, one message or batch within the limits of the transport.
func OpenEnvelope(text []byte) Envelope { return Envelope{Envelope: era.Table.Open(text)} }

// Notifies reports whether e is a notification of an extension, which runs code of the program.
func (h *Host) Notifies(e *Envelope) bool {
	x := h.Extensions
	return x != nil && e.Message.IsNotification() && x.Notifies(e.Message.Method)
}

// VersionFault returns why a modern request cannot be answered in the revision that it declares; nil if it can be.
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

// ModernVersion reports whether revision, from a header, is a modern one or one that this server does not know.
func ModernVersion(revision string) bool {
	rev, ok := era.Table.Parse(revision)
	return !ok || era.IsModern(rev)
}
