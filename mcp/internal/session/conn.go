package session

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Conn has what all messages of one client share. It is a part of a [connection], a [Session] or a single exchange, or
// made by [Host.NewConn].
type Conn struct {
	call.Conn
	Legacy
	Outgoing
	host    *Host
	Context context.Context // handlers get its values, but are not cancelled when it ends

	ending sync.Mutex   // held by end; a sync.Once would make each idle session larger
	dead   engine.Latch // nothing can be written any more
	cause  error        // why c has ended, see end; read only once Ended is closed
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
	c.to = t
	if h.Audit != nil {
		c.makeExtra()
	}
	h.Opened()
}

// of sets the fields of c that depend only on its host.
func (c *Conn) of(h *Host) {
	c.Shared, c.Owner, c.Log, c.host = &h.Shared, c, h.Log, h
	c.conn = c
}

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
		c.setClientName(clientText(client))
	}
	c.setRevision(rev)
}

// setCaller sets the caller whose rights decide about updates of the session, and notifies the client of what it may
// have missed, or may no longer have.
func (c *Conn) setCaller(who *call.Caller) {
	returned, changed := c.renew(who)
	switch {
	case returned:
		c.Streams().Resync()
	case changed:
		c.Streams().ResyncAuthorized()
	}
}

// end ends c; only the first call counts. A nil cause means that nothing more can be read. With another cause nothing
// can be written either.
func (c *Conn) end(cause error) {
	c.ending.Lock()
	defer c.ending.Unlock()
	if !c.Ended.IsClosed() {
		c.cause = cause
		c.Ended.Close()
	}
}

// fail ends c because no response can be written any more, and wakes whoever waits for its requests.
func (c *Conn) fail(err error) {
	c.end(err)
	c.dead.Close()
}

// writeFailed ends c after the transport has failed to write, and logs the error.
func (c *Conn) writeFailed(err error) {
	unread := errors.Is(err, os.ErrDeadlineExceeded)
	if unread {
		c.countUnread()
	}
	panicked, isPanic := errors.AsType[*pubsub.WriterError](err)
	switch {
	case isPanic:
		c.host.PanickedWriter(panicked.Value, panicked.Stack)
	case errors.Is(err, io.ErrClosedPipe): // the client has left, as clients do, or the transport says more
		c.Log.Debug("mcp: connection ended", "err", err)
	case unread:
		c.Log.Warn("mcp: client does not read: connection ended", "err", err)
	case !errors.Is(err, transport.ErrClosed):
		c.Log.Info("mcp: connection ended", "err", err)
	}
	c.fail(err)
}

// PanickedWriter logs and counts a panic in the code of a transport.
func (h *Host) PanickedWriter(value any, stack []byte) {
	h.Counts.Panicked[labels.PanicTransport].Add(1)
	h.Log.Error("mcp: panic in a transport that writes", "panic", value, "stack", string(stack))
}

// countUnread counts a connection whose client has not read in time.
func (c *Conn) countUnread() { c.host.Counts.Closed[labels.ClosedUnread].Add(1) }

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
	if c.HasOutgoing() {
		c.Streams().Cancel(ListenID(call.Request().ID))
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
