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

// Conn has what all messages of one client share. It is a part of a [connection], a [Session] or a single exchange, or
// made by [Host.NewConn].
type Conn struct {
	call.Conn
	host    *Host
	Context context.Context // handlers get its values, but are not cancelled when it ends

	legacy   legacySession
	outgoing lazyOutgoing

	// EndsListen says that the client gets notifications/cancelled at the end of a listen, besides its result. The
	// specification has two texts about the end of a listen: one asks for a result, the other for a cancellation where
	// requests share a connection.
	EndsListen bool

	ending sync.Once
	dead   engine.Latch // nothing can be written any more
	cause  error        // why c has ended, see end; read only once Ended is closed
}

// legacySession is the state that a client sets up by initialize, and on which its updates depend.
type legacySession struct {
	latest   atomic.Pointer[call.Caller] // who has used the session last, or the caller of Serve
	lapsed   atomic.Bool                 // updates wait until the caller is known again
	guarded  atomic.Bool                 // the client has subscribed to a resource that not all callers may read
	revision atomic.Uint32               // 0 before initialize
	extra    *sessionExtra               // nil for most; set before the first message
}

// serials counts the conns of all servers of the process, to number them.
var serials atomic.Uint64

// open prepares c for a client that can subscribe. Notifications are written to t.
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

// of sets the fields of c that depend only on its host.
func (c *Conn) of(h *Host) { c.Shared, c.Owner, c.Log, c.host = &h.Shared, c, h.Log, h }

// NewConn returns a conn for work of a program outside of the requests of clients. Nothing is written on it.
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

// Lapses reports whether the credentials of the caller have expired. If so, the caller of Lapses holds updates back,
// and they are sent when the client has proved again who it is.
func (c *Conn) Lapses() bool {
	if !c.LastCaller().Expired() || failpoint.On("access-expired-proof") {
		return false
	}
	c.legacy.lapsed.Store(true)
	return c.LastCaller().Expired() // asked again: a new caller may have come before lapsed was set
}

// Revision returns the revision that the legacy session has negotiated; 0 if there is none.
func (c *Conn) Revision() protocol.Revision { return protocol.Revision(c.legacy.revision.Load()) }

// end ends c; only the first call counts. A nil cause means that nothing more can be read. With another cause nothing
// can be written either.
func (c *Conn) end(cause error) {
	c.ending.Do(func() {
		c.cause = cause
		c.Ended.Close()
	})
}

// fail ends c because no response can be written any more, and wakes whoever waits for its requests.
func (c *Conn) fail(err error) {
	c.end(err)
	c.dead.Close()
}

// maxWritingWait is about the longest time that a cancellation waits for a response that is being written. The client
// may not read.
const maxWritingWait = time.Second

// Cancel ends the request with the given id without a response; it does nothing if there is none. If the response is
// being written, Cancel waits for the end of the write, but at most for maxWritingWait. So a transport that accepts
// each message separately sends no response after it has accepted the cancellation.
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

// cancelCall ends a request without a response. It does nothing if the response was written or is being written: a
// client may send a cancellation before it has read the response.
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

// cancelAll ends all requests without a response. Requests that have not begun yet are dropped.
func (c *Conn) cancelAll() {
	c.Calls.Close(engine.ErrDropped)
	for _, call := range c.Calls.InFlight() {
		c.cancelCall(call)
	}
}

// drain waits until all requests have ended, at most for the grace period. It stops waiting when nothing can be written
// any more, or when hurry is closed: a client that closes our input and then sends a signal does not wait for
// responses.
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

// abandon responds to all requests still in flight with an error, in place of their handlers, and ends their contexts.
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

// send writes the response to a request through the outbox, unless the request was cancelled before. It returns the
// buffer of frame, perhaps a larger one, to be used again. A nil request stands for a message that cannot be cancelled.
// If the write fails, send ends the conn.
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

// sendLarge is send for a response with large values. The values become text only when it is the turn of the response
// to be written, so that a conn has only one such text in memory at a time.
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

// ListenID returns the id of a listen for package pubsub. All JSON spellings of one id have the same result.
func ListenID(id wire.ID) string { return id.Canonical().Raw() }

// clientText returns the name of a client, followed by a slash and its version if it has one.
func clientText(info *protocol.Implementation) string {
	if info.Version == "" {
		return info.Name
	}
	return info.Name + "/" + info.Version
}

// sessionExtra has fields that only some sessions need.
type sessionExtra struct {
	client  atomic.Pointer[string] // name and version, as the client declares them; only with Options.Audit
	replica string                 // the name of this process among those that serve the session
	keeper  Keeper                 // nil unless other processes serve the session too
}

// makeExtra returns the extra of a session, and makes it if there is none. It is called only before the first message.
func (l *legacySession) makeExtra() *sessionExtra {
	if l.extra == nil {
		l.extra = new(sessionExtra)
	}
	return l.extra
}

// Keeper stores what clients change in a session that several processes serve. The methods with an error wait until the
// change is stored, for a limited time. If they return an error, nothing has changed, and the error is the response to
// the client.
type Keeper interface {
	Subscribe(ctx context.Context, uri string) error
	Unsubscribe(ctx context.Context, uri string) error
	SetLevel(ctx context.Context, level slog.Level) error
	// Follow asks the process that has the notification stream of the session to tell the client about a task. That
	// process calls FollowTask or SetSubscriptions of package server. Follow does not wait and has no error, because such
	// notifications are optional.
	Follow(topic string)
}

// MaxTasks is the number of tasks of whose changes the client of a session of 2025-11-25 is told. A further task takes
// the place of a task that has ended, or else of the oldest task.
const MaxTasks = 64
