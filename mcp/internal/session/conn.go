package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Conn has what all messages of one client share. It is a part of a [connection], a [Session] or a single exchange.
type Conn struct {
	call.Conn
	host    *Host
	Context context.Context // handlers see its values, not its end

	legacy   legacySession
	outgoing lazyOutgoing

	// EndsListen makes the end of a listen a notifications/cancelled too, besides its result. The two texts of the
	// specification about the end of a listen disagree: one asks for a result, the other for a cancellation where requests
	// share a connection.
	EndsListen bool

	ending sync.Once
	dead   engine.Latch // nothing can be written any more
	cause  error        // of the end; only read once Ended is closed
}

// legacySession is the state that a client sets up by initialize, and on which its updates depend.
type legacySession struct {
	latest   atomic.Pointer[call.Caller] // who has used the session last, or the caller of Serve
	lapsed   atomic.Bool                 // updates wait until the caller is known again
	guarded  atomic.Bool                 // it has subscribed to what not everybody may see
	revision atomic.Uint32               // 0 before initialize
	extra    *sessionExtra               // nil for most; set before the first message
}

// serials counts the conns of all servers of the process, to number them.
var serials atomic.Uint64

// open prepares c for a client that can subscribe. Notifications go to t.
func (c *Conn) open(ctx context.Context, h *Host, t transport.Conn) {
	c.of(h)
	c.Context = ctx
	c.Serial = serials.Add(1)
	if n, ok := t.(transport.Named); ok && n.Name() != "" {
		c.Log = h.Log.With("transport", n.Name())
	}
	c.LogLevel.Store(int64(call.LogNothing))
	c.outgoing.to = t
	if h.Audit != nil {
		c.legacy.makeExtra()
	}
	h.Opened()
}

// of makes c a conn of h.
func (c *Conn) of(h *Host) { c.Shared, c.Owner, c.Log, c.host = &h.Shared, c, h.Log, h }

// NewConn returns a conn for what a program does outside of the requests of clients. Nothing is written on it.
func (h *Host) NewConn(ctx context.Context) *Conn {
	c := &Conn{Context: ctx}
	c.of(h)
	return c
}

// Send implements [call.Owner].
func (c *Conn) Send(frame []byte) { c.send(frame, nil) }

// ClientSettings implements [call.Owner].
func (c *Conn) ClientSettings(call *call.Call, id string) (text string, declared bool) {
	if x := c.host.Extensions; x != nil {
		return x.ClientSettings(call, id)
	}
	return "", false
}

// ExtensionRevision implements [call.Owner].
func (c *Conn) ExtensionRevision(call *call.Call, id string) (string, error) {
	if x := c.host.Extensions; x != nil {
		return x.Revision(call, id)
	}
	return "", nil
}

// Begin begins the legacy session of a client, with the revision that was negotiated.
func (c *Conn) Begin(rev protocol.Revision, client *protocol.Implementation) {
	if c.host.Audit != nil {
		c.legacy.extra.client.Store(new(clientText(client)))
	}
	c.legacy.revision.Store(uint32(rev))
}

// LastCaller returns the caller that has used the session last; nil before the first message. Its rights decide about
// updates of the session.
func (c *Conn) LastCaller() *call.Caller { return c.legacy.latest.Load() }

// Guard notes that the session has subscribed to something that not all callers may see.
func (c *Conn) Guard() { c.legacy.guarded.Store(true) }

// Lapses reports whether the credentials of the caller have expired. Updates wait until the client has proved again who
// it is.
func (c *Conn) Lapses() bool {
	if !c.LastCaller().Expired() || failpoint.On("access-expired-proof") {
		return false
	}
	c.legacy.lapsed.Store(true)
	return c.LastCaller().Expired() // false for a caller that came meanwhile, and may not have seen the mark
}

// Revision returns the revision that the legacy session has negotiated; 0 if there is none.
func (c *Conn) Revision() protocol.Revision { return protocol.Revision(c.legacy.revision.Load()) }

// end ends c. A nil cause means that nothing more can be read; otherwise nothing can be written either.
func (c *Conn) end(cause error) {
	c.ending.Do(func() {
		c.cause = cause
		c.Ended.Close()
	})
}

// fail ends the requests of c, because no response can be written any more.
func (c *Conn) fail(err error) {
	c.end(err)
	c.dead.Close()
}

// maxWritingWait is how long a cancellation waits for a response that is being written. It bounds the wait for a client
// that does not read.
const maxWritingWait = time.Second

// Cancel ends the request with the given id without a response. If the response is being written, Cancel returns after
// that. So a client whose messages come apart from each other gets no response after its cancellation was accepted.
func (c *Conn) Cancel(id wire.ID) {
	call, found := c.Calls.ToCancel(id)
	if !found {
		return
	}
	c.cancelCall(call)
	for d := 10 * time.Microsecond; c.Calls.Open(id, call); d *= 2 {
		if d > maxWritingWait/2 {
			c.Calls.Written(id, call) // the next cancellation does not wait again
			return
		}
		time.Sleep(d)
	}
}

// cancelCall ends a request without a response. It does nothing if the response is being written or was, of which the
// client may not know yet.
func (c *Conn) cancelCall(call *call.Call) {
	if !call.Cancel() {
		return
	}
	if o := c.outgoing.opened(); o != nil {
		o.streams.Cancel(ListenID(call.Request().ID))
	}
	c.Calls.Forget(call.Request().ID, call)
	call.Request().Responder.Discard()
	call.End(context.Canceled)
}

// cancelAll ends all requests without a response, including those that have not begun yet.
func (c *Conn) cancelAll() {
	c.Calls.Close(engine.ErrDropped)
	for _, call := range c.Calls.InFlight() {
		c.cancelCall(call)
	}
}

// drain waits for the running requests, at most for the grace period, and only until hurry is closed: a client that has
// closed our input and then sends signals does not wait for responses any more.
func (c *Conn) drain(hurry <-chan struct{}) {
	t := time.NewTimer(c.host.Grace)
	defer t.Stop()
	select {
	case <-c.Calls.Quiet():
	case <-c.dead.Done():
	case <-hurry:
	case <-t.C:
	}
}

// abandon responds to what is still in flight in place of its handler, and ends the contexts.
func (c *Conn) abandon() {
	c.Calls.Close(engine.ErrShutdown)
	left := c.Calls.InFlight()
	for _, x := range left {
		if !x.Running() { // its response may be under way to a client that does not read
			x.End(context.Canceled)
			continue
		}
		x.Preempt(context.Canceled, engine.ErrShutdown, call.Refuse)
	}
	for _, x := range left {
		x.Request().Responder.Flush()
	}
	if len(left) > 0 {
		c.Log.Warn("mcp: requests abandoned", "count", len(left))
	}
}

// send writes a response among the notifications, unless its request was cancelled before, and returns the buffer. A
// response without a request cannot be cancelled. If the write fails, the conn is dead.
func (c *Conn) send(frame []byte, of engine.Request) []byte {
	if of != nil && of.Large() != nil {
		c.sendLarge(frame, of)
		return frame
	}
	frame = append(frame, '\n')
	err := c.Outbox().Write(frame, func() bool { return of == nil || of.Commit(frame) })
	if err != nil {
		c.fail(err)
	}
	return frame
}

// sendLarge is send for a response with large values. They become text only when it is the turn of the response, so
// that one such text at a time is in memory.
func (c *Conn) sendLarge(frame []byte, of engine.Request) {
	err := c.Outbox().WriteMade(func() []byte {
		if !of.Commit(frame) {
			return nil
		}
		if large := of.Large(); large != nil {
			frame = large.Whole(frame)
		}
		return append(frame, '\n')
	})
	if err != nil {
		c.fail(err)
	}
}

// ListenID returns the id of a listen for package pubsub. All spellings of one id have the same.
func ListenID(id wire.ID) string { return id.Canonical().Raw() }

// clientText returns the name of a client, and its version behind a slash if it has one.
func clientText(info *protocol.Implementation) string {
	if info.Version == "" {
		return info.Name
	}
	return info.Name + "/" + info.Version
}

// sessionExtra has fields that only some sessions need.
type sessionExtra struct {
	client  atomic.Pointer[string] // name and version, as the client says; only with Options.Audit
	replica string                 // the name of this process among those that serve the session
	keeper  Keeper                 // nil unless there are others
}

// makeExtra gives a session its extra, before its first message.
func (l *legacySession) makeExtra() *sessionExtra {
	if l.extra == nil {
		l.extra = new(sessionExtra)
	}
	return l.extra
}

// Keeper keeps what clients change in a session that several processes serve. Its methods wait until a change is
// kept, for a limited time; an error is the response to the client, and then nothing has changed.
type Keeper interface {
	Subscribe(ctx context.Context, uri string) error
	Unsubscribe(ctx context.Context, uri string) error
	SetLevel(ctx context.Context, level slog.Level) error
	// Follow makes the process that has the notification stream of the session tell its client about a task, by
	// FollowTask or SetSubscriptions of package server. It does not wait: such notifications are optional.
	Follow(topic string)
}

// MaxTasks is of how many tasks the client of a session of 2025-11-25 is told. A further one takes the place of one
// that has ended, or else of the oldest.
const MaxTasks = 64
