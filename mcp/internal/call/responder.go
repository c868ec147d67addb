package call

import (
	"errors"

	"github.com/mcpgen/mcpgen/mcp/internal/engine"
)

// Responder is the way back to the client for one request: the connection from which the request was read, the
// [BatchItem] of a request in a batch, or the [HTTPExchange] that brought the request.
type Responder interface {
	engine.Responder
	// Sender is who has sent the request.
	Sender() *Caller
}

var (
	_ Responder = (*BatchItem)(nil)
	_ Responder = (*HTTPExchange)(nil)
)

// ResponseWriter is the way back to the client for a single message, for transports whose messages do not share a
// connection.
type ResponseWriter = engine.ResponseWriter

// Waiter is a [ResponseWriter] that is told when the handler waits for a response of the client, for which a person may
// need minutes. A transport can then count the request apart from running ones.
type Waiter = engine.Waiter

// HTTPExchange is the responder of a message that came over HTTP, or a transport like it, with its own
// [ResponseWriter].
type HTTPExchange struct {
	engine.Exchange
	Caller Caller
	origin [16]byte // zero if it is not known
	Left   int64    // see Session.CancelLeft
	Peeks  bool     // nothing is sent: only whether there is something to read is asked
}

// Origin is a [ResponseWriter] that knows the address of the client, for rates of callers without a subject.
type Origin interface {
	// Origin returns the address of the client in 16 bytes, an IPv4 address mapped into IPv6. Of an IPv6 address it
	// returns the /64 network, because one client may have all addresses in it. It is zero if the address is not known.
	Origin() [16]byte
}

// OriginOf returns the address of the client of a request; zero if it is not known.
func OriginOf(r Responder) [16]byte {
	if n, ok := r.(NoResponse); ok {
		r = n.Responder
	}
	if x := ExchangeOf(r); x != nil {
		return x.origin
	}
	return [16]byte{}
}

// ExchangeOf returns the exchange by which the response of a request is sent, also for a request in a batch; nil if it
// is sent on a connection, or not at all.
func ExchangeOf(r Responder) *HTTPExchange {
	if i, ok := r.(*BatchItem); ok {
		r = i.via
	}
	x, _ := r.(*HTTPExchange)
	return x
}

// NewHTTPExchange returns the responder of a message that sender has sent. The response goes to w.
func NewHTTPExchange(sender Caller, w ResponseWriter) *HTTPExchange {
	x := &HTTPExchange{Exchange: engine.NewExchange(w), Caller: sender}
	if o, ok := w.(Origin); ok {
		x.origin = o.Origin()
	}
	return x
}

// Sender implements [Responder].
func (x *HTTPExchange) Sender() *Caller { return &x.Caller }

// Respond implements [engine.Responder].
func (x *HTTPExchange) Respond(frame []byte, code int, of engine.Request) []byte {
	defer written(of)
	return x.Exchange.Respond(frame, code, of)
}

// RespondNow implements [engine.Responder].
func (x *HTTPExchange) RespondNow(frame []byte, code int, of engine.Request) {
	defer written(of)
	x.Exchange.RespondNow(frame, code, of)
}

// written frees what was kept until the response of a request was written.
func written(of engine.Request) {
	if c, ok := of.(*runningCall); ok {
		c.req.Conn.Calls.Written(c.req.ID, (*Call)(c))
	}
}

// BatchItem is the responder of one message of a batch.
type BatchItem struct {
	engine.BatchItem
	via Responder // that of the batch
}

// NewBatchItem returns the responder of the next message of b.
func NewBatchItem(b *engine.Batch, via Responder) *BatchItem { return &BatchItem{b.Item(), via} }

// Sender implements [Responder].
func (i *BatchItem) Sender() *Caller { return i.via.Sender() }

// runningCall is a [Call] in the form that responders need.
type runningCall Call

// Running implements [engine.Request].
func (c *runningCall) Running() bool { return c.state.Load() == callRunning }

// Commit implements [engine.Request].
func (c *runningCall) Commit([]byte) bool { return (*Call)(c).commit() }

// Large implements [engine.Request].
func (c *runningCall) Large() *engine.Large {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extra == nil {
		return nil
	}
	return c.extra.large
}

// Send writes a message that belongs to this request and precedes its response: progress, a log message, a request to
// the client. It returns [engine.ErrEnded] once the request was responded to or cancelled, also in a batch, where the
// response may still wait for others. It blocks while the client does not read, for as long as the transport allows.
// The caller must not use frame afterwards.
func (c *Call) Send(frame []byte) error {
	if c.req.Responder == nil {
		return engine.ErrEnded
	}
	return c.req.Responder.Notify(frame, (*runningCall)(c))
}

// ErrAsksElsewhere is the error of a question in a method of an extension. No revision defines how to ask the client
// there.
var ErrAsksElsewhere = errors.New("mcp: a method of an extension cannot send requests to the client")

// NoResponse is the responder of a notification, which has no response: nothing is written.
type NoResponse struct{ Responder }

// Notify implements [engine.Responder].
func (NoResponse) Notify([]byte, engine.Request) error { return engine.ErrEnded }

// Respond implements [engine.Responder].
func (NoResponse) Respond(frame []byte, _ int, of engine.Request) []byte {
	if of != nil {
		of.Commit(frame)
		written(of)
	}
	return frame
}

// RespondNow implements [engine.Responder].
func (r NoResponse) RespondNow(frame []byte, code int, of engine.Request) { r.Respond(frame, code, of) }

// Wait implements [engine.Responder].
func (NoResponse) Wait() (gone <-chan struct{}, resume func(), err error) {
	return nil, func() {}, ErrAsksElsewhere
}
