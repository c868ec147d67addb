package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Session is the legacy session of one client whose messages a transport brings one by one, each
// with a [call.ResponseWriter] of its own. Notifications that belong to no request leave through a stream that may
// be there or not. It is safe for concurrent use.
type Session struct{ c conn }

// NewSession returns a session that no message has come in yet. Notifications that belong to no request go to
// notifications, of which only WriteMessage is called, never twice at the same time; it must not block for long. They
// are held back until [Session.Resume]. If notifications has a method Client() string, that names whose session it is,
// for what clients share; "" for nobody. Whoever makes a session closes it.
func (s *Server) NewSession(notifications transport.Conn) (*Session, error) {
	x := new(Session)
	x.c.open(context.Background(), s, notifications)
	x.c.endsListen = true
	x.c.Calls.RememberCancellations(s.shared.MaxInFlight)
	x.c.outgoing.paused = true
	if !s.track(x) {
		return nil, ErrServerClosed
	}
	return x, nil
}

// Revision returns what the session has negotiated; 0 before initialize.
func (x *Session) Revision() protocol.Revision { return x.c.session() }

// Handle handles one message or batch of who. It returns when all of it was responded to on to or was
// cancelled; what needs no response gets none. The end of ctx does not cancel requests: clients of
// these revisions may come back for their response. Handlers see the values of ctx.
func (x *Session) Handle(ctx context.Context, e *Envelope, who call.Caller, to call.ResponseWriter) {
	w, _ := x.c.s.workers.Get().(*worker)
	if w == nil {
		w = new(worker)
	}
	w.c, w.base = &x.c, ctx
	back := call.NewHTTPExchange(who, to)
	x.c.setCaller(&back.Caller)
	defer back.Close()
	if e.Batch {
		w.takeBatch(e.Text, back)
	} else {
		w.take(e, back)
	}
	w.c, w.base = nil, nil
	x.c.s.workers.Put(w)
}

// CancelLeft cancels the requests whose clients have left, according to [engine.Leaver], and have not come back since
// another call of this function, at least patience ago. now is when this call is made, in any unit that patience has
// too, and never 0. It returns how many it has cancelled, and how many others have been left. It must not be called
// twice at the same time.
func (x *Session) CancelLeft(now, patience int64) (cancelled, left int) {
	for _, c := range x.c.Calls.InFlight() {
		switch e := call.ExchangeOf(c.Request().Responder); {
		case e == nil:
		case !e.IsDeserted():
			e.Left = 0
		case e.Left == 0:
			e.Left = now
			left++
		case now-e.Left >= patience:
			x.c.cancelCall(c)
			cancelled++
		default:
			left++
		}
	}
	return cancelled, left
}

// takeBatch handles the messages of a batch one after the other.
func (w *worker) takeBatch(text []byte, x *call.HTTPExchange) {
	w.responder, w.number = x, counters.MethodInvalid
	defer func() { w.responder, w.inBatch = nil, false }()
	if !w.c.Calls.Accept(1) {
		if !w.c.Calls.Dropped() {
			w.refuse(wire.ID{}, false, engine.ErrShutdown)
		}
		return
	}
	defer w.c.Calls.Handled()
	texts, bad := w.splitBatch(text)
	if bad != nil {
		w.refuse(wire.ID{}, false, bad)
		return
	}
	w.c.cancelInBatch(texts)
	w.inBatch = true
	w.handleItems(engine.NewBatch(x, len(texts)), x, texts)
}

// handleItems handles the messages of b that are left, also if the code of a user ends the goroutine.
func (w *worker) handleItems(b *engine.Batch, via call.Responder, texts [][]byte) {
	done := 0
	defer func() {
		if done < len(texts) {
			w.responder.Discard()
			w.handleItems(b, via, texts[done+1:])
		}
	}()
	for ; done < len(texts); done++ {
		w.responder = call.NewBatchItem(b, via)
		m, bad := wire.ParseChecked(texts[done])
		w.handleItem(b, texts[done], &m, bad)
		w.responder.Discard()
	}
}

// handleItem is handle for a message of a batch, whose requests may not begin any more.
func (w *worker) handleItem(b *engine.Batch, text []byte, m *wire.Message, bad *wire.Error) {
	if bad == nil && m.IsRequest() {
		if why := b.Refusal(); why != nil {
			w.refuse(m.ID, false, why)
			return
		}
	}
	w.handle(text, m, bad)
}

// cancelInBatch handles the cancellations in a batch before its requests: these run one after the other, and one that
// has returned cannot be cancelled.
func (c *conn) cancelInBatch(texts [][]byte) {
	for _, text := range texts {
		m, bad := wire.ParseChecked(text)
		if bad != nil || !m.IsNotification() || string(m.Method) != protocol.MethodNotificationsCancelled {
			continue
		}
		raw, _ := wire.Lookup(m.Params, "requestId")
		d := wire.NewDecoder(raw)
		if id := d.ID(); d.Err() == nil {
			c.cancel(id)
		}
	}
}

// Pause holds notifications of changes back. A transport calls it when the stream of notifications has no reader any
// more. What is held back is not lost: there is one notification at most for each resource and list, however often it
// changes.
func (x *Session) Pause() {
	if o := x.c.outgoing.opened(); o != nil {
		o.out.Pause()
	}
}

// Resume sends the notifications of changes that were held back, and those to come. A transport calls it when the
// stream of notifications has a reader.
func (x *Session) Resume() { x.c.outbox().Resume() }

// Renew sets the caller of the session to who, as Handle does for each message. A transport calls it when a client
// opens the stream of notifications, which is no message. Notifications that were held back because the caller had
// expired are sent; a subscription to a resource that who may not read ends before its next notification.
func (x *Session) Renew(who call.Caller) { x.c.setCaller(&who) }

// Resync notifies the client that each resource it has subscribed to, and each list, may have changed. A transport
// calls it when earlier notifications may have been lost.
func (x *Session) Resync() { x.c.streams().Resync() }

// Busy reports whether a request of the session is being handled.
func (x *Session) Busy() bool { return x.c.Calls.Busy() }

// Close ends the session: its requests are cancelled, its subscriptions end. No code of the user begins for a request
// of it afterwards; Handle returns without a response.
func (x *Session) Close() {
	x.c.end(nil)
	x.c.cancelAll()
	x.c.Calls.Stop()
	x.c.closeOutgoing()
	x.c.s.untrack(x)
}

// Ended returns a channel that is closed when the session is closed, by its transport or with the server, or when its
// notifications cannot be written any more.
func (x *Session) Ended() <-chan struct{} { return x.c.Ended.Done() }

// shutDown implements [tracked].
func (x *Session) shutDown() {
	x.c.Calls.Stop()
	x.c.drain(nil)
	x.c.abandon()
	x.Close()
}
