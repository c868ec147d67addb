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

// Session is the legacy session of one client whose messages a transport brings one by one, each with a
// [call.ResponseWriter] of its own. Notifications that belong to no request go to a stream, which the client need not
// have open. A Session is safe for concurrent use.
type Session struct{ c Conn }

// NewSession returns a session that no message has come in yet. Notifications that belong to no request go to
// notifications, of which only WriteMessage is called, never twice at the same time; it must not block for long. They
// are held back until [Session.Resume]. If the type of notifications has a method Client() string, the session counts
// for the share of the limits of the client with this name, and for nobody if it is "". The error is [ErrServerClosed]
// if the host is closed. The caller must call [Session.Close].
func (h *Host) NewSession(notifications transport.Conn) (*Session, error) {
	x := new(Session)
	x.c.open(context.Background(), h, notifications)
	x.c.EndsListen = true
	x.c.Calls.RememberCancellations(h.MaxInFlight)
	x.c.holdUpdates()
	if !h.track(x) {
		return nil, ErrServerClosed
	}
	h.Counts.Sessions.Add(1)
	return x, nil
}

// Conn returns the [Conn] of the session, with its calls and its subscriptions.
func (x *Session) Conn() *Conn { return &x.c }

// Revision returns the revision that the session has negotiated; 0 before initialize.
func (x *Session) Revision() protocol.Revision { return x.c.Revision() }

// Handle handles one message or batch of the given sender. It writes the responses to out, and returns once each
// request in it was cancelled or has its response. The end of ctx does not cancel requests, because clients of these
// revisions may come back for their response. Handlers see the values of ctx.
func (x *Session) Handle(ctx context.Context, e *Envelope, who call.Caller, out call.ResponseWriter) {
	w, _ := x.c.host.workers.Get().(*Worker)
	if w == nil {
		w = newWorker(x.c.host, nil)
	}
	w.Conn, w.base = &x.c, ctx
	back := call.NewHTTPExchange(who, out)
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

// WorkerFor returns a worker without a message. It is used to decide whether a caller has the right to a subscription
// of the session.
func (x *Session) WorkerFor(who call.Caller) *Worker {
	return &Worker{host: x.c.host, Conn: x.Conn(), Rev: x.Revision(), Responder: &call.HTTPExchange{Caller: who}}
}

// CancelLeft cancels the requests whose clients have been away for at least patience. [engine.Leaver] tells whether a
// client is away, but only a call of CancelLeft asks it. So the absence of a client is measured from the first such
// call that finds it away, and is forgotten if a further call finds it back. The parameter now is the time of the call,
// in the unit of patience, and never 0. The results are the number of requests that were cancelled, and the number of
// requests that wait on for a client that is away. It must not be called twice at the same time.
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

// splitBatch returns the messages of a batch; an error if the text is no valid batch, or the revision of the session
// has no batches.
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

// handleItems handles texts, the messages of b that are still to be handled, even if the code of a user ends the
// goroutine. Their responses go to out.
func (w *Worker) handleItems(b *engine.Batch, out call.Responder, texts [][]byte) {
	done := 0
	defer func() {
		if done < len(texts) {
			w.Responder.Discard()
			w.handleItems(b, out, texts[done+1:])
		}
	}()
	for ; done < len(texts); done++ {
		w.Responder = call.NewBatchItem(b, out)
		m, bad := wire.ParseChecked(texts[done])
		w.handleItem(b, texts[done], &m, bad)
		w.Responder.Discard()
	}
}

// handleItem is handle for a message of a batch. It refuses a request if b takes no more of them.
func (w *Worker) handleItem(b *engine.Batch, text []byte, m *wire.Message, bad *wire.Error) {
	if bad == nil && m.IsRequest() {
		if why := b.Refusal(); why != nil {
			w.refuse(m.ID, false, why)
			return
		}
	}
	w.handle(text, m, bad)
}

// cancelInBatch handles the cancellations in a batch before its requests. The requests run one after the other, and a
// request that has returned cannot be cancelled.
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

// Pause holds notifications of changes back until [Session.Resume]. A transport calls it when the stream of
// notifications has no reader any more. No change is lost, but each resource and each list gets at most one
// notification, however often it changes meanwhile.
func (x *Session) Pause() {
	if x.c.HasOutgoing() {
		x.c.Outbox().Pause()
	}
}

// Resume sends the notifications of changes that were held back, and ends the holding back. A transport calls it when
// the stream of notifications has a reader.
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

// Close cancels the requests of the session and ends its subscriptions. Afterwards no code of the user begins for a
// request of the session, and Handle returns without a response. Close may be called again.
func (x *Session) Close() {
	x.c.end(nil)
	x.c.cancelAll()
	x.c.Calls.Stop()
	x.c.closeOutgoing()
	if x.c.host.untrack(x) {
		x.c.host.Counts.Sessions.Add(-1)
	}
}

// Ended returns a channel that is closed when the transport or the server closes the session, or a notification could
// not be written.
func (x *Session) Ended() <-chan struct{} { return x.c.Ended.Done() }

// shutDown implements [tracked].
func (x *Session) shutDown() {
	x.c.Calls.Stop()
	x.c.drain(nil)
	x.c.abandon()
	x.Close()
}

// State is what another process needs to go on with a session.
type State struct {
	Revision     protocol.Revision
	Capabilities call.ClientCapability // that the client has declared
	Client       string                // name and version of the client; "" unless Options.Audit is set
	Extensions   []feature.DeclaredExtension
}

// State returns the state of the session, for [Session.Restore] in another process.
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
		x.c.setClientName(st.Client)
	}
	x.c.setRevision(st.Revision)
	x.Initialized()
}

// Initialized says that the client has finished the handshake, as notifications/initialized does. It does nothing the
// second time.
func (x *Session) Initialized() { x.c.MarkInitialized() }

// ServeToo makes x a session that other processes serve too. k keeps what the client changes, for all these processes.
// replica is the name of this process: the ids of requests to the client begin with it, so that no other process uses
// them. ServeToo must be called before the first message.
func (x *Session) ServeToo(replica string, k Keeper) { x.c.serveToo(replica, k) }

// Keeper returns the keeper that ServeToo was given; nil without ServeToo.
func (x *Session) Keeper() Keeper { return x.c.Keeper() }

// SetLevel sets the level for log messages, which the client has set by logging/setLevel in another process.
func (x *Session) SetLevel(level slog.Level) { x.c.LogLevel.Store(int64(level)) }

// Answer takes the text of a response that the client has sent to another process. It returns false if the text is no
// response, or no request of x waits for it.
func (x *Session) Answer(text []byte) bool {
	m, bad := wire.ParseMessage(text, engine.Limits)
	return bad == nil && m.IsResponse() && x.c.Requests.Respond(&m)
}

// Cancel takes the text of a notifications/cancelled that the client has sent to another process.
func (x *Session) Cancel(text []byte) { x.c.cancelInBatch([][]byte{text}) }
