package session

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Legacy is what a client of an older revision sets up by initialize, and on which its updates depend. It is a part of
// a [Conn]. Of a client of a modern revision it has at most the caller of Serve. It is safe for concurrent use.
type Legacy struct {
	latest   atomic.Pointer[call.Caller] // who has used the session last, or the caller of Serve
	lapsed   atomic.Bool                 // updates wait until the caller is known again
	guarded  atomic.Bool                 // the client has subscribed to a resource that not all callers may read
	revision atomic.Uint32               // 0 before initialize
	extra    *legacyExtra                // nil for most; set before the first message
}

// legacyExtra has fields that only some sessions need.
type legacyExtra struct {
	client  atomic.Pointer[string] // name and version, as the client declares them; only with Options.Audit
	replica string                 // the name of this process among those that serve the session
	keeper  Keeper                 // nil unless other processes serve the session too
}

// makeExtra returns the extra of l, and makes it if there is none. It is called only before the first message.
func (l *Legacy) makeExtra() *legacyExtra {
	if l.extra == nil {
		l.extra = new(legacyExtra)
	}
	return l.extra
}

// Revision returns the revision that the legacy session has negotiated; 0 if there is none.
func (l *Legacy) Revision() protocol.Revision { return protocol.Revision(l.revision.Load()) }

// setRevision sets what Revision returns. From then on there is a legacy session.
func (l *Legacy) setRevision(rev protocol.Revision) { l.revision.Store(uint32(rev)) }

// LastCaller returns the caller that has used the session last; nil before the first message. Its rights decide about
// updates of the session.
func (l *Legacy) LastCaller() *call.Caller { return l.latest.Load() }

// keepCaller sets what LastCaller returns, for a connection all of whose requests have one caller. It keeps who.
func (l *Legacy) keepCaller(who *call.Caller) { l.latest.Store(who) }

// renew sets what LastCaller returns. Most messages of a session have the same caller, so renew copies *who only if it
// differs from the last caller. returned is true if updates were held back until a caller proves who it is, as who
// does. changed is true if a subscription asks for a right, and who does not have the same rights as the last caller;
// it is false if returned is true.
func (l *Legacy) renew(who *call.Caller) (returned, changed bool) {
	old := l.latest.Load()
	if old != nil && who.Equal(old) {
		return false, false
	}
	next := Anonymous
	if !who.Equal(Anonymous) {
		next = new(*who)
	}
	old = l.latest.Swap(next)
	if l.lapsed.Load() && !who.Expired() {
		l.lapsed.Store(false)
		return true, false
	}
	return false, old != nil && l.guarded.Load() && !who.SameRights(old)
}

// Anonymous is the caller of all sessions without one.
var Anonymous = new(call.Caller)

// Guard notes that the session has subscribed to something that not all callers may see.
func (l *Legacy) Guard() { l.guarded.Store(true) }

// Lapses reports whether the credentials of the caller have expired. If so, the caller of Lapses holds updates back,
// and they are sent when the client has proved again who it is.
func (l *Legacy) Lapses() bool {
	if !l.LastCaller().Expired() || failpoint.On("access-expired-proof") {
		return false
	}
	l.lapsed.Store(true)
	return l.LastCaller().Expired() // asked again: a new caller may have come before lapsed was set
}

// ClientName returns name and version of the client, as it declares them; nil if they are not known. They are known
// only if the server has an audit log. See [call.Owner].
func (l *Legacy) ClientName() *string {
	if l.extra == nil {
		return nil
	}
	return l.extra.client.Load()
}

// setClientName sets what ClientName returns. It is called only if the server has an audit log.
func (l *Legacy) setClientName(name string) { l.extra.client.Store(&name) }

// clientText returns the name of a client, followed by a slash and its version if it has one.
func clientText(info *protocol.Implementation) string {
	if info.Version == "" {
		return info.Name
	}
	return info.Name + "/" + info.Version
}

// serveToo says that other processes serve the session too, see [Session.ServeToo].
func (l *Legacy) serveToo(replica string, k Keeper) {
	e := l.makeExtra()
	e.replica, e.keeper = replica, k
}

// Keeper returns the keeper of the session; nil if no other process serves the session.
func (l *Legacy) Keeper() Keeper {
	if l.extra == nil {
		return nil
	}
	return l.extra.keeper
}

// QuestionPrefix returns the prefix of the ids of requests to the client; "" for numbers. See [call.Owner].
func (l *Legacy) QuestionPrefix() string {
	if l.extra == nil {
		return ""
	}
	return l.extra.replica
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
