package sessions

import (
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// Set is the sessions of one endpoint. It is safe for concurrent use. Make one with NewSet.
type Set struct {
	srv    *server.Server
	admit  *limits.Admission
	log    *slog.Logger
	counts *counters.Counters

	timeout       time.Duration // how long a session lasts without a request or stream
	resumeTimeout time.Duration // how long a response is kept for a client that comes back

	prefix string // of the ids of events; no other process that serves the sessions has it
	keyed  bool   // sessions are found by their keys too
	swept  func() // called after each sweep; nil for nothing

	table *table
	byKey sync.Map     // of *Session, by Key
	live  atomic.Int64 // sessions
	// Each is set while a timer for sweep or review is started: as long as there are sessions.
	sweeping, reviewing atomic.Bool
	crowded             bool       // see review
	room                sync.Mutex // held while idle sessions make room for another
}

// NewSet returns a set without sessions. A session ends after timeout without a request or a stream. Kept events of a
// stream are forgotten resumeTimeout after its response was written.
func NewSet(srv *server.Server, admit *limits.Admission, log *slog.Logger, timeout, resumeTimeout time.Duration,
) *Set {
	return &Set{srv: srv, admit: admit, log: log, counts: server.CountersOf(srv), timeout: timeout,
		resumeTimeout: resumeTimeout, table: newTable()}
}

// Share prepares for sessions that other processes know too. The ids of events begin with prefix. If keyed is set,
// sessions are also found by their keys. swept is called after each sweep; it may be nil. Call Share before the first
// session.
func (t *Set) Share(prefix string, keyed bool, swept func()) {
	t.prefix, t.keyed, t.swept = prefix, keyed, swept
}

// start is the time from which the field idle of sessions counts.
var start = time.Now()

// New makes a session of u that is in use and has no id. When initialize is answered, or the session is adopted, the
// caller sets the id and calls Add.
func (t *Set) New(u *limits.Usage) (*Session, *web.Refusal) {
	x := new(Session)
	if why := t.Begin(x, u, x); why != nil {
		return nil, why
	}
	return x, nil
}

// Begin initializes x, the zero value, as a session of u that is in use. The server writes the notifications of x to
// conn.
func (t *Set) Begin(x *Session, u *limits.Usage, conn transport.Conn) *web.Refusal {
	x.of, x.Usage, x.using = t, u, 1
	if !t.admit.Take(u, limits.Sessions, 1) && !t.takeRoom(u) {
		return t.admit.TooMany(limits.Sessions)
	}
	t.admit.AddRef(u)
	t.live.Add(1)
	if t.sweeping.CompareAndSwap(false, true) {
		time.AfterFunc(t.timeout/4, t.sweep)
	}
	if t.reviewing.CompareAndSwap(false, true) {
		t.reviewLater()
	}
	var err error
	if x.MCP, err = server.HostOf(t.srv).NewSession(conn); err != nil {
		t.Forget(x)
		t.counts.Refused[labels.RefusedClosing].Add(1)
		return web.NewRefusal(503, "the server is shutting down")
	}
	return nil
}

// Find returns the session with an id, in use until Done is called. It returns nil if there is none, or if the session
// belongs to another subject.
func (t *Set) Find(id string, subject string) *Session {
	x := t.table.find(id)
	if x == nil || !x.Use(subject) {
		return nil
	}
	return x
}

// Add enters x, whose id is set now, so that requests find it. It returns false if there is a session with that id.
func (t *Set) Add(x *Session) bool {
	if !t.table.add(x) {
		return false
	}
	if t.keyed {
		t.byKey.Store(KeyOf(x.ID), x)
	}
	return true
}

// Known returns the session with a key; nil if it is not here.
func (t *Set) Known(k Key) *Session {
	v, _ := t.byKey.Load(k)
	x, _ := v.(*Session)
	return x
}

// Shared returns the sessions that other processes know too; none unless keyed is set.
func (t *Set) Shared() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		t.byKey.Range(func(_, x any) bool { return yield(x.(*Session)) })
	}
}

// Forget ends a session for good. It does nothing the second time.
func (t *Set) Forget(x *Session) {
	if x.close(func() bool { return true }) {
		t.end(x)
	}
}

// end releases what x holds, and ends what runs for it. Before that, x must be closed to new requests.
func (t *Set) end(x *Session) {
	t.table.remove(x)
	if t.keyed && x.ID != "" {
		t.byKey.CompareAndDelete(KeyOf(x.ID), x)
	}
	t.live.Add(-1)
	if open := x.HasStreams(); open != nil {
		open.Notifications.Interrupt() // whoever ends the session does not wait for a client that does not read
	}
	if x.MCP != nil {
		x.MCP.Close()
	}
	if open := x.HasStreams(); open != nil {
		open.End()
	}
	t.admit.Give(x.Usage, limits.Sessions, 1)
	t.admit.Drop(x.Usage)
}

// sweep ends the sessions that were not used for too long, and those of a closed server.
func (t *Set) sweep() {
	closing := t.Stopping()
	for x := range t.table.all() {
		if x.closeIdle(func(idle time.Duration) bool {
			return closing || time.Since(start)-idle >= t.timeout
		}) {
			t.end(x)
		}
	}
	if t.swept != nil {
		t.swept()
	}
	t.rearm(&t.sweeping, func() { time.AfterFunc(t.timeout/4, t.sweep) })
}

// rearm starts a timer again by calling startTimer, if there are sessions; otherwise it clears armed, which says that
// the timer is started.
func (t *Set) rearm(armed *atomic.Bool, startTimer func()) {
	if t.live.Load() > 0 {
		startTimer()
		return
	}
	armed.Store(false)
	if t.live.Load() > 0 && armed.CompareAndSwap(false, true) { // a session has begun meanwhile, when armed was still set
		startTimer()
	}
}

// Stopping reports whether the server has begun to close.
func (t *Set) Stopping() bool {
	select {
	case <-server.HostOf(t.srv).Stopping():
		return true
	default:
		return false
	}
}

// NoSession is the refusal of a request of a session that has ended, before the request or while it was handled.
var NoSession = web.NewRefusal(http.StatusNotFound, "the session does not exist: send initialize again")
