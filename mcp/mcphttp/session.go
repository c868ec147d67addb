package mcphttp

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// session is one client of an older revision. What only some sessions need is made when it is needed.
type session struct {
	id    string        // "" before initialize is answered
	usage *limits.Usage // whom it counts for; only the subject that has opened it may use it
	of    *handler
	mcp   *server.Session

	mu     sync.Mutex
	using  int32 // requests and streams under way
	closed bool
	// adopted says that it began elsewhere, and that nothing is known about it but what its id says. It never changes.
	adopted bool
	idle    time.Duration     // since when using is 0, since the start of the process
	open    *eventlog.Streams // nil before the first
	ended   chan struct{}     // closed with closed; nil while nobody waits for it
}

// primedSince is the revision from which on streams begin with an event that can be resumed from.
const primedSince = protocol.Revision20251125

// primes reports whether streams begin with such an event.
func (x *session) primes() bool { return x.mcp.Revision() >= primedSince }

// start is what x.idle counts from.
var start = time.Now()

// newSession makes a session, whose first message is still to be handled. It gets its id, by which others find it, when
// initialize is answered or it is adopted.
func (h *handler) newSession(u *limits.Usage) (*session, *web.Refusal) {
	x := &session{usage: u, of: h, using: 1}
	if why := x.begin(x); why != nil {
		return nil, why
	}
	return x, nil
}

// begin counts x, which is new, and gives it a session of the server whose notifications go to a connection.
func (x *session) begin(notifications transport.Conn) *web.Refusal {
	h, u := x.of, x.usage
	if !h.admit.Take(u, limits.Sessions, 1) && !h.takeRoom(u) {
		return h.admit.TooMany(limits.Sessions)
	}
	h.admit.AddRef(u)
	h.live.Add(1)
	if h.sweeping.CompareAndSwap(false, true) {
		time.AfterFunc(h.opts.SessionTimeout/4, h.sweep)
	}
	if h.reviewing.CompareAndSwap(false, true) {
		departures{h}.reviewLater()
	}
	var err error
	if x.mcp, err = h.srv.NewSession(notifications); err != nil {
		h.forget(x)
		h.refused(stats.RefusedClosing)
		return web.NewRefusal(503, "the server is shutting down")
	}
	return nil
}

// streams returns the streams of x.
func (x *session) streams() *eventlog.Streams {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open == nil {
		x.open = eventlog.NewStreams(x.of.admit, x.usage, x.of.opts.ResumeTimeout, x.of.ids.prefix)
		if x.closed {
			x.open.End()
		}
	}
	return x.open
}

// hasStreams returns the streams of x; nil if there were none.
func (x *session) hasStreams() *eventlog.Streams {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open
}

// ReadMessage, WriteMessage, WriteUpdate and Close make a session the transport.Conn of its notifications; see
// server.Session.

// ReadMessage implements transport.Conn. It is never called.
func (x *session) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], io.ErrClosedPipe }

// WriteMessage implements transport.Conn. The message is kept for a client that has no stream, or has lost it.
func (x *session) WriteMessage(frame []byte) error {
	frame = bytes.TrimSuffix(frame, []byte("\n"))
	if x.shared() == nil || !x.of.shared.passOn(x, frame) {
		x.streams().Notifications.Add(frame)
	}
	return nil
}

// WriteUpdate implements pubsub.UpdateWriter. An update is not kept: a stream that is opened again announces all that
// may have changed.
func (x *session) WriteUpdate(frame []byte) error {
	x.streams().Notifications.Pass(bytes.TrimSuffix(frame, []byte("\n")))
	return nil
}

// Close implements transport.Conn.
func (x *session) Close() error { return nil }

// Client tells the server whose subscriptions those of x are.
func (x *session) Client() string { return x.usage.Name() }

// find returns the session with an id if it belongs to who, and counts one more use of it. To others
// it does not exist.
func (h *handler) find(id string, who mcp.Caller) *session {
	x := h.sessions.find(id)
	if x == nil || !x.use(who) {
		return nil
	}
	return x
}

// use counts one more use of x, until done. It is false if x belongs to another subject, or is closed.
func (x *session) use(who mcp.Caller) bool {
	if x.usage.Subject() != who.Subject {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.using++
	return true
}

// done ends one use of x.
func (x *session) done() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.using--; x.using == 0 {
		x.idle = time.Since(start)
	}
}

// usedSince reports whether x is in use, or was after t.
func (x *session) usedSince(t time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.using > 0 && !failpoint.On("session-stream-no-use") || start.Add(x.idle).After(t)
}

// updateDelivery resumes the delivery of updates if there is a notification stream, and else pauses it. Whoever
// attaches a stream to the notifications, or detaches one, calls it afterwards: a stream that ends late must not stop
// the one that has come in its place.
func (x *session) updateDelivery() {
	x.streams().UpdateDelivery(x.mcp.Resume, x.mcp.Pause)
}

// forget ends a session for good. It does nothing the second time.
func (h *handler) forget(x *session) {
	if x.close(func() bool { return true }) {
		h.bury(x)
	}
}

// close closes x to new requests if when agrees, which is asked with the lock held. The caller buries it. It is false
// if x is closed already.
func (x *session) close(when func() bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || !when() {
		return false
	}
	x.closed = true
	if x.ended != nil {
		close(x.ended)
	}
	return true
}

// bury ends what a session has, once it is closed to new requests.
func (h *handler) bury(x *session) {
	h.sessions.remove(x)
	if (peers{h}).findByKey() && x.id != "" {
		h.byKey.CompareAndDelete(keyOf(x.id), x)
	}
	h.live.Add(-1)
	t := x.hasStreams()
	if t != nil {
		t.Notifications.Interrupt() // whoever ends the session does not wait for a client that does not read
	}
	if x.mcp != nil {
		x.mcp.Close()
	}
	if t = x.hasStreams(); t != nil {
		t.End()
	}
	h.admit.Give(x.usage, limits.Sessions, 1)
	h.admit.Drop(x.usage)
}

// over reports whether x has ended while it is in use.
func (x *session) over() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed
}

// whenEnded returns a channel that is closed when x has ended.
func (x *session) whenEnded() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended == nil {
		x.ended = make(chan struct{})
		if x.closed {
			close(x.ended)
		}
	}
	return x.ended
}

// sweep ends the sessions that were not used for too long, and those of a closed server.
func (h *handler) sweep() {
	closing := h.stopping()
	for x := range h.sessions.all() {
		if x.closeIdle(func(idle time.Duration) bool {
			return closing || time.Since(start)-idle >= h.opts.SessionTimeout
		}) {
			h.bury(x)
		}
	}
	if h.shared != nil && h.shared.touching.CompareAndSwap(false, true) {
		go h.shared.touchAll()
	}
	h.again(&h.sweeping, func() { time.AfterFunc(h.opts.SessionTimeout/4, h.sweep) })
}

// again sets a timer again by later, while there are sessions. on says whether it is set.
func (h *handler) again(on *atomic.Bool, later func()) {
	if h.live.Load() > 0 {
		later()
		return
	}
	on.Store(false)
	if h.live.Load() > 0 && on.CompareAndSwap(false, true) { // one has come meanwhile, and relied on the timer
		later()
	}
}

// closeIdle is close for a session that nobody uses; when is told since when.
func (x *session) closeIdle(when func(idle time.Duration) bool) bool {
	return x.close(func() bool { return x.using == 0 && when(x.idle) })
}
