package mcphttp

import (
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// maxReplies is how many answers that came as streams a session remembers for a client that lost them.
const maxReplies = 16

// session is one client of an older revision.
type session struct {
	id      string
	subject string // of the caller that has opened it, the only one that may use it
	usage   *usage // whom it counts for
	mcp     *server.Session

	turns         atomic.Uint64 // of the notification streams that were asked for
	joining       chan struct{} // holds one element while a request becomes the notification stream
	delivery      sync.Mutex    // held while it is decided whether updates are delivered
	mu            sync.Mutex
	notifications *eventLog
	replies       []*eventLog // streams of answers, oldest first
	lastName      int
	using         int       // requests and streams under way
	idle          time.Time // since when using is 0
	ended         chan struct{}
	closed        bool
}

// newSession makes a session for who. Its first message is still to be handled.
func (h *handler) newSession(u *usage, who mcp.Caller) (*session, *refusal) {
	x := &session{id: rand.Text(), subject: who.Subject, usage: u, notifications: newEventLog("0"), using: 1,
		ended:   make(chan struct{}),
		joining: make(chan struct{}, 1)}
	if !h.admit.take(u, sessions, 1) && (!h.makeRoom(u) || !h.admit.take(u, sessions, 1)) {
		return nil, tooMany(sessions)
	}
	h.admit.again(u)
	h.sessions.Store(x.id, x)
	h.live.Add(1)
	if h.sweeping.CompareAndSwap(false, true) {
		h.sweepLater()
	}
	var err error
	if x.mcp, err = h.srv.NewSession(x.notifications, u.name()); err != nil {
		h.forget(x)
		return nil, &refusal{503, "the server is shutting down"}
	}
	return x, nil
}

// find returns the session with an id if it belongs to who, and counts one more use of it. To others
// it does not exist.
func (h *handler) find(id string, who mcp.Caller) *session {
	v, _ := h.sessions.Load(id)
	x, _ := v.(*session)
	if x == nil || x.subject != who.Subject {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.using++
	return x
}

// done ends one use of x.
func (x *session) done() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.using--; x.using == 0 {
		x.idle = time.Now()
	}
}

// updateDelivery resumes the delivery of updates if there is a notification stream, and else pauses it. Whoever
// attaches a stream to the notifications, or detaches one, calls it afterwards: a stream that ends late must not stop
// the one that has come in its place.
func (x *session) updateDelivery() {
	x.delivery.Lock()
	defer x.delivery.Unlock()
	if x.notifications.hasReader() {
		x.mcp.Resume()
	} else {
		x.mcp.Pause()
	}
}

// newReply returns the log of one more stream that answers a request.
func (x *session) newReply() *eventLog {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lastName++
	return newEventLog(strconv.Itoa(x.lastName))
}

// keep remembers a stream that has begun. The oldest that is done is forgotten for it.
func (x *session) keep(l *eventLog) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.replies = append(x.replies, l)
	for i := 0; len(x.replies) > maxReplies && i < len(x.replies); {
		select {
		case <-x.replies[i].over:
			x.replies = append(x.replies[:i], x.replies[i+1:]...)
		default:
			i++
		}
	}
}

// log returns the stream with a name; nil if there is none.
func (x *session) log(name string) *eventLog {
	x.mu.Lock()
	defer x.mu.Unlock()
	if name == x.notifications.name {
		return x.notifications
	}
	for _, l := range x.replies {
		if l.name == name {
			return l
		}
	}
	return nil
}

// forget ends a session for good. It does nothing the second time.
func (h *handler) forget(x *session) {
	x.mu.Lock()
	closed := x.closed
	x.closed = true
	x.mu.Unlock()
	if !closed {
		h.bury(x)
	}
}

// bury ends what a session has, once it is closed to new requests.
func (h *handler) bury(x *session) {
	h.sessions.Delete(x.id)
	h.live.Add(-1)
	h.admit.give(x.usage, sessions, 1)
	h.admit.drop(x.usage)
	close(x.ended)
	if x.mcp != nil {
		x.mcp.Close()
	}
}

// over reports whether x has ended while it is in use.
func (x *session) over() bool {
	select {
	case <-x.ended:
		return true
	default:
		return false
	}
}

// sweepLater ends unused sessions later.
func (h *handler) sweepLater() { time.AfterFunc(h.opts.SessionTimeout/4, h.sweep) }

// sweep ends the sessions that were not used for too long, and those of a closed server.
func (h *handler) sweep() {
	closing := h.stopping()
	for _, x := range h.sessions.Range {
		x := x.(*session)
		if x.closeIdle(func(idle time.Time) bool { return closing || time.Since(idle) >= h.opts.SessionTimeout }) {
			h.bury(x)
		}
	}
	if h.live.Load() > 0 {
		h.sweepLater()
		return
	}
	h.sweeping.Store(false)
	if h.live.Load() > 0 && h.sweeping.CompareAndSwap(false, true) { // one has come meanwhile, and relied on the timer
		h.sweepLater()
	}
}

// closeIdle closes x to new requests if nobody uses it and when agrees, which is told since when. The caller buries it.
func (x *session) closeIdle(when func(idle time.Time) bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.using > 0 || x.closed || !when(x.idle) {
		return false
	}
	x.closed = true
	return true
}
