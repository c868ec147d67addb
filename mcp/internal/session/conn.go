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

// Conn is what the messages of one client have in common: a [connection] that is served, a [Session], or a single
// exchange.
type Conn struct {
	call.Conn
	host    *Host
	Context context.Context // handlers see its values, not its end

	legacy   legacySession
	outgoing lazyOutgoing

	// EndsListen says besides the result that a listen has ended. The two texts of the specification about the end
	// of a listen disagree: one asks for a result, the other for a cancellation where requests share a connection.
	EndsListen bool

	ending sync.Once
	dead   engine.Latch // nothing can be written any more
	cause  error        // of the end; read it after ended
}

// legacySession is the state that a client sets up by initialize, and what its updates depend on.
type legacySession struct {
	latest   atomic.Pointer[call.Caller] // who has used the session last, or the caller of Serve
	lapsed   atomic.Bool                 // updates wait until the caller is known again
	guarded  atomic.Bool                 // it has subscribed to what not everybody may see
	revision atomic.Uint32               // 0 before initialize
	extra    *sessionExtra               // nil for most; set before the first message
}

// serials are the serial numbers of conns, in all servers of the process.
var serials atomic.Uint64

// open makes c one whose client can subscribe; t is where notifications go.
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

// of makes c one of h.
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

// LastCaller is who has used the session last, whose rights count for its updates; nil before the first message.
func (c *Conn) LastCaller() *call.Caller { return c.legacy.latest.Load() }

// Guard says that the session has subscribed to what not everybody may see.
func (c *Conn) Guard() { c.legacy.guarded.Store(true) }

// Lapses reports whether the caller of the session has to prove again who it is. Until it has, updates wait.
func (c *Conn) Lapses() bool {
	if !c.LastCaller().Expired() || failpoint.On("access-expired-proof") {
		return false
	}
	c.legacy.lapsed.Store(true)
	return c.LastCaller().Expired() // if not, it has come too late to see the mark
}

// Revision returns the revision that the legacy session has negotiated; 0 if there is none.
func (c *Conn) Revision() protocol.Revision { return protocol.Revision(c.legacy.revision.Load()) }

// end says that nothing more can be read or, with an error, that the conn is dead.
func (c *Conn) end(cause error) {
	c.ending.Do(func() {
		c.cause = cause
		c.Ended.Close()
	})
}

// fail ends the requests of c, because nothing can be written any more.
func (c *Conn) fail(err error) {
	c.end(err)
	c.dead.Close()
}

// maxWritingWait is how long a cancellation waits for the response that is being written when it comes. It bounds the
// wait for a client that does not read.
const maxWritingWait = time.Second

// Cancel ends the request with the given id without a response. If that is being written, Cancel returns when it was,
// so that a client which sends its messages apart from each other gets no response after its cancellation was accepted.
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

// cancelCall ends a request without a response, unless that is being written or was: the client may not know yet.
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

// cancelAll ends all requests without a response, and those that have not begun yet.
func (c *Conn) cancelAll() {
	c.Calls.Close(engine.ErrDropped)
	for _, call := range c.Calls.InFlight() {
		c.cancelCall(call)
	}
}

// drain waits for the requests at hand, but not longer than the grace period, nor after hurry: a client that has closed
// our input and goes on to signals does not wait for responses any more.
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
// nil request cannot be. If the write fails, the conn is dead.
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

// sendLarge is send for a response that has more than a frame. It becomes one text when it is its turn to be written,
// so that there is one such text at a time.
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

// ListenID is the id of a listen for package pubsub, equal for all spellings.
func ListenID(id wire.ID) string { return id.Canonical().Raw() }

// clientText is a name and a version as one word.
func clientText(info *protocol.Implementation) string {
	if info.Version == "" {
		return info.Name
	}
	return info.Name + "/" + info.Version
}

// sessionExtra is what only some sessions have.
type sessionExtra struct {
	client  atomic.Pointer[string] // name and version, as the client says; only with Options.Audit
	replica string                 // the name of this process among those that serve the session
	keeper  Keeper                 // nil unless there are others
}

// makeExtra returns the extra of a session that no message has come in yet.
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

// MaxTasks is how many tasks the client of a session of 2025-11-25 is told about. A further one takes the place of one
// that has ended, or else of the oldest.
const MaxTasks = 64
