package session

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Session is the legacy session of one client whose messages a transport brings one by one, each
// with a [call.ResponseWriter] of its own. Notifications that belong to no request leave through a stream that may
// be there or not. It is safe for concurrent use.
type Session struct{ c Conn }

// NewSession returns a session that no message has come in yet. Notifications that belong to no request go to
// notifications, of which only WriteMessage is called, never twice at the same time; it must not block for long. They
// are held back until [Session.Resume]. If notifications has a method Client() string, that names the client for whose
// share of the limits the session counts; "" for none. Whoever makes a session closes it.
func (h *Host) NewSession(notifications transport.Conn) (*Session, error) {
	x := new(Session)
	x.c.open(context.Background(), h, notifications)
	x.c.EndsListen = true
	x.c.Calls.RememberCancellations(h.MaxInFlight)
	x.c.outgoing.paused = true
	if !h.track(x) {
		return nil, ErrServerClosed
	}
	h.Counts.Sessions.Add(1)
	return x, nil
}

// Conn returns the [Conn] of the session, with its calls and its subscriptions.
func (x *Session) Conn() *Conn { return &x.c }

// Revision returns what the session has negotiated; 0 before initialize.
func (x *Session) Revision() protocol.Revision { return x.c.Revision() }

// Handle handles one message or batch, and who is its sender. It returns when all requests in it were cancelled or have
// their responses. The end of ctx does not cancel requests: clients of these revisions may come back for their
// response. Handlers see the values of ctx.
func (x *Session) Handle(ctx context.Context, e *Envelope, who call.Caller, to call.ResponseWriter) {
	w, _ := x.c.host.workers.Get().(*Worker)
	if w == nil {
		w = newWorker(x.c.host, nil)
	}
	w.Conn, w.base = &x.c, ctx
	back := call.NewHTTPExchange(who, to)
	x.c.setCaller(&back.Caller)
	defer back.Close()
	if e.Batch {
		w.takeBatch(e.Text, back)
	} else {
		w.take(e, back)
	}
	w.Conn, w.base = nil, nil
	x.c.host.workers.Put(w)
}

// CancelLeft cancels the requests whose clients have been away for at least patience, according to [engine.Leaver].
// Only the calls of CancelLeft look whether a client is there, so patience begins with the first call that finds the
// client away, and ends if a later call finds it back. now is the time of this call, in the unit of patience, and never
// 0. The results are the numbers of requests that were cancelled, and of those whose clients are away but have patience
// left. It must not be called twice at the same time.
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

// splitBatch returns the messages of a batch, if the session may send one.
func (w *Worker) splitBatch(text []byte) ([][]byte, *wire.Error) {
	texts, bad := wire.SplitBatch(text, engine.Limits)
	if bad == nil {
		bad = era.Table.Batch(w.Conn.Revision())
	}
	return texts, bad
}

// takeBatch handles the messages of a batch one after the other.
func (w *Worker) takeBatch(text []byte, x *call.HTTPExchange) {
	w.Responder, w.Number = x, counters.MethodInvalid
	defer func() { w.Responder, w.inBatch = nil, false }()
	if !w.Conn.Calls.Accept(1) {
		if !w.Conn.Calls.Dropped() {
			w.refuse(wire.ID{}, false, engine.ErrShutdown)
		}
		return
	}
	defer w.Conn.Calls.Handled()
	texts, bad := w.splitBatch(text)
	if bad != nil {
		w.refuse(wire.ID{}, false, bad)
		return
	}
	w.Conn.cancelInBatch(texts)
	w.inBatch = true
	w.handleItems(engine.NewBatch(x, len(texts)), x, texts)
}

// handleItems handles the messages of b that are left, even if the code of a user ends the goroutine.
func (w *Worker) handleItems(b *engine.Batch, via call.Responder, texts [][]byte) {
	done := 0
	defer func() {
		if done < len(texts) {
			w.Responder.Discard()
			w.handleItems(b, via, texts[done+1:])
		}
	}()
	for ; done < len(texts); done++ {
		w.Responder = call.NewBatchItem(b, via)
		m, bad := wire.ParseChecked(texts[done])
		w.handleItem(b, texts[done], &m, bad)
		w.Responder.Discard()
	}
}

// handleItem is handle for a message of a batch, in which further requests may be refused.
func (w *Worker) handleItem(b *engine.Batch, text []byte, m *wire.Message, bad *wire.Error) {
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
func (c *Conn) cancelInBatch(texts [][]byte) {
	for _, text := range texts {
		m, bad := wire.ParseChecked(text)
		if bad != nil || !m.IsNotification() || string(m.Method) != protocol.MethodNotificationsCancelled {
			continue
		}
		raw, _ := wire.Lookup(m.Params, "requestId")
		d := wire.NewDecoder(raw)
		if id := d.ID(); d.Err() == nil {
			c.Cancel(id)
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
func (x *Session) Resume() { x.c.Outbox().Resume() }

// Renew sets the caller of the session to who, as Handle does for each message. A transport calls it when a client
// opens the stream of notifications, which is no message. Notifications that were held back because the caller had
// expired are sent; a subscription to a resource that the new caller may not read ends before its next notification.
func (x *Session) Renew(who call.Caller) { x.c.setCaller(&who) }

// Resync notifies the client that each resource it has subscribed to, and each list, may have changed. A transport
// calls it when earlier notifications may have been lost.
func (x *Session) Resync() { x.c.Streams().Resync() }

// Busy reports whether a request of the session is being handled.
func (x *Session) Busy() bool { return x.c.Calls.Busy() }

// Close ends the session: its requests are cancelled, its subscriptions end. No code of the user begins for a request
// of it afterwards; Handle returns without a response.
func (x *Session) Close() {
	x.c.end(nil)
	x.c.cancelAll()
	x.c.Calls.Stop()
	x.c.closeOutgoing()
	if x.c.host.untrack(x) {
		x.c.host.Counts.Sessions.Add(-1)
	}
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

// setCaller sets the caller whose rights decide about updates of the session. It keeps a copy of *who only if that
// differs from the last caller, as most messages of a session have the same.
func (c *Conn) setCaller(who *call.Caller) {
	old := c.legacy.latest.Load()
	if old != nil && who.Equal(old) {
		return
	}
	next := Anonymous
	if !who.Equal(Anonymous) {
		next = new(*who)
	}
	old = c.legacy.latest.Swap(next)
	switch {
	case c.legacy.lapsed.Load() && !who.Expired():
		c.legacy.lapsed.Store(false)
		c.Streams().Resync()
	case old != nil && c.legacy.guarded.Load() && !who.SameRights(old):
		c.Streams().ResyncAuthorized()
	}
}

// Anonymous is the caller of all sessions without one.
var Anonymous = new(call.Caller)

// State is what another process needs to go on with a session: what was negotiated, and more.
type State struct {
	Revision     protocol.Revision
	Capabilities call.ClientCapability // that the client has declared
	Client       string                // its name and version; "" unless Options.Audit is set
	Extensions   []feature.DeclaredExtension
}

// State returns what the session has negotiated.
func (x *Session) State() State {
	st := State{Revision: x.Revision(), Capabilities: call.ClientCapability(x.c.Declared.Load())}
	if client := x.c.ClientName(); client != nil {
		st.Client = *client
	}
	if set := x.c.Extensions.Load(); set != 0 {
		st.Extensions = x.c.host.Extensions.StateOf(call.ExtensionSet(set), x.c.Settings.Load())
	}
	return st
}

// Restore makes x, a new session, continue a session of another process whose client has finished the handshake.
func (x *Session) Restore(st State) {
	x.c.Declared.Store(uint32(st.Capabilities))
	if has := x.c.host.Extensions; has != nil {
		set, settings := has.OfState(st.Extensions)
		x.c.Settings.Store(settings)
		x.c.Extensions.Store(uint32(set))
	}
	if x.c.host.Audit != nil {
		x.c.legacy.extra.client.Store(&st.Client)
	}
	x.c.legacy.revision.Store(uint32(st.Revision))
	x.Initialized()
}

// Initialized says that the client has finished the handshake, as notifications/initialized does. It does nothing the
// second time.
func (x *Session) Initialized() { x.c.MarkInitialized() }

// ServeToo makes x a session that other processes serve too. k keeps what its client changes. The ids of requests to
// the client begin with replica, so that they differ from those of other processes. It must be called before the first
// message.
func (x *Session) ServeToo(replica string, k Keeper) {
	e := x.c.legacy.makeExtra()
	e.replica, e.keeper = replica, k
}

// Keeper returns what ServeToo was called with; nil if it was not.
func (x *Session) Keeper() Keeper { return x.c.Keeper() }

// ClientName implements [call.Owner].
func (c *Conn) ClientName() *string {
	if c.legacy.extra == nil {
		return nil
	}
	return c.legacy.extra.client.Load()
}

// Keeper returns the keeper of the session of c; nil if no other process serves the session.
func (c *Conn) Keeper() Keeper {
	if c.legacy.extra == nil {
		return nil
	}
	return c.legacy.extra.keeper
}

// QuestionPrefix returns the prefix of the ids of requests to the client; "" for numbers.
func (c *Conn) QuestionPrefix() string {
	if c.legacy.extra == nil {
		return ""
	}
	return c.legacy.extra.replica
}

// SetLevel sets the level for log messages, which the client has set by logging/setLevel in another process.
func (x *Session) SetLevel(level slog.Level) { x.c.LogLevel.Store(int64(level)) }

// Answer takes a response that the client has sent to another process. It returns false if no request of x waits for
// it.
func (x *Session) Answer(text []byte) bool {
	m, bad := wire.ParseMessage(text, engine.Limits)
	return bad == nil && m.IsResponse() && x.c.Requests.Respond(&m)
}

// Cancel takes notifications/cancelled that the client has sent to another process.
func (x *Session) Cancel(text []byte) { x.c.cancelInBatch([][]byte{text}) }
