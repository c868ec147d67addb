package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
)

// responder is the way back to the client for one request: the connection that it was read from, the item of a batch
// that it is, or the exchange that brought it.
type responder interface {
	engine.Responder
	// sender is who has sent the request.
	sender() *Caller
}

var (
	_ responder = (*connection)(nil)
	_ responder = (*batchItem)(nil)
	_ responder = (*httpExchange)(nil)
)

// ResponseWriter is the way back to a client for one message of it, where messages do not share a connection.
type ResponseWriter = engine.ResponseWriter

// Waiter is a [ResponseWriter] that is told when the handler of its request waits for a response of the client, which
// may take a person minutes. A transport can then count the request apart from those that use the processor.
type Waiter = engine.Waiter

// httpExchange is the responder of a message that a transport such as HTTP has brought, with a [ResponseWriter] for its
// answer.
type httpExchange struct {
	engine.Exchange
	caller Caller
	origin [16]byte // zero if it is not known
	left   int64    // see Session.CancelLeft
	peeks  bool     // nothing is sent: only whether there is something to read is asked
}

// Origin is a [ResponseWriter] that knows the address of the client, for rates of callers without a subject.
type Origin interface {
	// Origin returns the address as one of IPv6, or the network that one client has; it is zero if it is not known.
	Origin() [16]byte
}

// originOf returns the address of the client of a request, if it is known.
func originOf(r responder) [16]byte {
	if n, ok := r.(noResponse); ok {
		r = n.responder
	}
	if x := exchangeOf(r); x != nil {
		return x.origin
	}
	return [16]byte{}
}

// exchangeOf returns the exchange that the response of a request leaves by, also of one in a batch; nil if it leaves on
// a connection, or there is none.
func exchangeOf(r responder) *httpExchange {
	if i, ok := r.(*batchItem); ok {
		r = i.via
	}
	x, _ := r.(*httpExchange)
	return x
}

func newHTTPExchange(who Caller, w ResponseWriter) *httpExchange {
	x := &httpExchange{Exchange: engine.NewExchange(w), caller: who}
	if o, ok := w.(Origin); ok {
		x.origin = o.Origin()
	}
	return x
}

func (x *httpExchange) sender() *Caller { return &x.caller }

// Respond implements [engine.Responder].
func (x *httpExchange) Respond(frame []byte, code int, of engine.Request) []byte {
	defer written(of)
	return x.Exchange.Respond(frame, code, of)
}

// RespondNow implements [engine.Responder].
func (x *httpExchange) RespondNow(frame []byte, code int, of engine.Request) {
	defer written(of)
	x.Exchange.RespondNow(frame, code, of)
}

// written notes that the response of a request was written.
func written(of engine.Request) {
	if c, ok := of.(*runningCall); ok {
		c.conn.calls.Written(c.id, (*Call)(c))
	}
}

// batchItem is the responder of one message of a batch.
type batchItem struct {
	engine.BatchItem
	via responder // that of the batch
}

func newBatchItem(b *engine.Batch, via responder) *batchItem { return &batchItem{b.Item(), via} }

func (i *batchItem) sender() *Caller { return i.via.sender() }

// runningCall is a [Call] as responders see it.
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

// notify writes a message that belongs to this request and precedes its response: progress, a log message, a request to
// the client. It returns [engine.ErrEnded] once the request was responded to or cancelled, so that nothing follows the
// response; in a batch too, where responses wait for each other. It blocks while the client does not read, for as long
// as the transport allows. frame is given away.
func (c *Call) notify(frame []byte) error {
	if c.responder == nil {
		return engine.ErrEnded
	}
	return c.responder.Notify(frame, (*runningCall)(c))
}
