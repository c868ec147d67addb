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
	subject string // of who has opened it; nobody else may use it
	client  string // whom it counts for
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
func (h *handler) newSession(name string, who mcp.Caller) (*session, *refusal) {
	x := &session{id: rand.Text(), subject: who.Subject, client: name, notifications: newEventLog("0"), using: 1,
		ended:   make(chan struct{}),
		joining: make(chan struct{}, 1)}
	h.mu.Lock()
	u := h.clients[name]
	if u == nil {
		u = new(usage)
	}
	if len(h.sessions) >= h.opts.MaxSessions || u.sessions >= h.opts.MaxPerClient {
		h.mu.Unlock()
		return nil, tooMany("sessions")
	}
	h.clients[name] = u
	u.sessions++
	h.sessions[x.id] = x
	if !h.sweeping {
		h.sweeping = true
		h.sweepLater()
	}
	h.mu.Unlock()
	var err error
	if x.mcp, err = h.srv.NewSession(x.notifications); err != nil {
		h.forget(x)
		return nil, &refusal{503, "the server is shutting down"}
	}
	return x, nil
}

// find returns the session with an id if it belongs to who, and counts one more use of it. To others
// it does not exist.
func (h *handler) find(id string, who mcp.Caller) *session {
	h.mu.Lock()
	x := h.sessions[id]
	h.mu.Unlock()
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
	h.mu.Lock()
	delete(h.sessions, x.id)
	u := h.clients[x.client]
	if u.sessions--; *u == (usage{}) {
		delete(h.clients, x.client)
	}
	h.mu.Unlock()
	close(x.ended)
	if x.mcp != nil {
		x.mcp.Close()
	}
}

// over reports whether x has ended, while somebody uses it.
func (x *session) over() bool {
	select {
	case <-x.ended:
		return true
	default:
		return false
	}
}

// sweepLater looks for sessions that nobody uses once it is time; h.mu is held.
func (h *handler) sweepLater() {
	pause := h.opts.SessionTimeout / 4
	if h.sweeper == nil {
		h.sweeper = time.AfterFunc(pause, h.sweep)
	} else {
		h.sweeper.Reset(pause)
	}
}

// sweep ends the sessions that nobody has used for too long, and those of a closed server.
func (h *handler) sweep() {
	closing := h.stopping()
	var old []*session
	h.mu.Lock()
	for _, x := range h.sessions {
		x.mu.Lock()
		if x.using == 0 && !x.closed && (closing || time.Since(x.idle) >= h.opts.SessionTimeout) {
			x.closed = true // whoever comes now does not find it
			old = append(old, x)
		}
		x.mu.Unlock()
	}
	h.mu.Unlock()
	for _, x := range old {
		h.bury(x)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) == 0 {
		h.sweeping = false
		return
	}
	h.sweepLater()
}
