package server

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// SessionState is what a session has negotiated, and all that another process has to know to go on with it.
type SessionState struct {
	Revision     protocol.Revision
	Capabilities call.ClientCapability // that the client has declared
	Client       string                // its name and version; "" unless Options.Audit is set
	Extensions   []feature.DeclaredExtension
}

// SessionKeeper keeps what clients change in a session that several processes serve. Its methods wait until a change is
// kept, for a limited time; an error is the response to the client, and then nothing has changed.
type SessionKeeper interface {
	Subscribe(ctx context.Context, uri string) error
	Unsubscribe(ctx context.Context, uri string) error
	SetLevel(ctx context.Context, level slog.Level) error
	// Follow makes the process that has the notification stream of the session tell its client about a task, by
	// [Session.FollowTask] or [Session.SetSubscriptions]. It does not wait: such notifications are optional.
	Follow(topic string)
}

// Identity returns what seals ids and records of sessions of s, and what clients are told of s. Its name tells servers
// with the same keys apart.
func Identity(s *Server) (*seal.Box, protocol.Implementation) { return s.shared.Seal, s.features.Info }

// MostSubscriptions returns how many resources one session of s may be subscribed to.
func MostSubscriptions(s *Server) int {
	return firstPositive(s.opts.MaxSubscriptions, defaultMaxSubscriptions)
}

// State returns what the session has negotiated.
func (x *Session) State() SessionState {
	st := SessionState{Revision: x.Revision(), Capabilities: call.ClientCapability(x.c.Declared.Load())}
	if client := x.c.legacy.clientName(); client != nil {
		st.Client = *client
	}
	if set := x.c.Extensions.Load(); set != 0 {
		st.Extensions = x.c.s.extensions.StateOf(call.ExtensionSet(set), x.c.Settings.Load())
	}
	return st
}

// Restore makes x, a new session, one that another process has begun, and whose client has finished the handshake.
func (x *Session) Restore(st SessionState) {
	x.c.Declared.Store(uint32(st.Capabilities))
	if has := x.c.s.extensions; has != nil {
		set, settings := has.OfState(st.Extensions)
		x.c.Settings.Store(settings)
		x.c.Extensions.Store(uint32(set))
	}
	if x.c.s.opts.Audit != nil {
		x.c.legacy.extra.client.Store(&st.Client)
	}
	x.c.legacy.revision.Store(uint32(st.Revision))
	x.Initialized()
}

// Initialized says that the client has finished the handshake, as notifications/initialized does. It does nothing the
// second time.
func (x *Session) Initialized() { x.c.markInitialized() }

// ServeToo makes x a session that other processes serve too: k keeps what its client changes, and the ids of requests
// to the client begin with replica, so that no other process has one of the same id. It comes before the first message.
func (x *Session) ServeToo(replica string, k SessionKeeper) {
	e := x.c.legacy.makeExtra()
	e.replica, e.keeper = replica, k
}

// Keeper returns what ServeToo was called with; nil if it was not.
func (x *Session) Keeper() SessionKeeper { return x.c.keeper() }

// sessionExtra is what only some sessions have.
type sessionExtra struct {
	client  atomic.Pointer[string] // name and version, as the client says; only with Options.Audit
	replica string                 // the name of this process among those that serve the session
	keeper  SessionKeeper          // nil unless there are others
}

// makeExtra returns the extra of a session that no message has come in yet.
func (l *legacySession) makeExtra() *sessionExtra {
	if l.extra == nil {
		l.extra = new(sessionExtra)
	}
	return l.extra
}

// clientName returns name and version of the client, as it says; nil if that is not known.
func (l *legacySession) clientName() *string {
	if l.extra == nil {
		return nil
	}
	return l.extra.client.Load()
}

// keeper returns what keeps the changes of the session of c; nil if nothing does.
func (c *conn) keeper() SessionKeeper {
	if c.legacy.extra == nil {
		return nil
	}
	return c.legacy.extra.keeper
}

// QuestionPrefix is how the ids of requests to the client begin; "" for numbers.
func (c *conn) QuestionPrefix() string {
	if c.legacy.extra == nil {
		return ""
	}
	return c.legacy.extra.replica
}

// SetLevel sets the level of logging/setLevel, which another process was told.
func (x *Session) SetLevel(level slog.Level) { x.c.LogLevel.Store(int64(level)) }

// LogNothing is the level of a session before logging/setLevel.
const LogNothing = call.LogNothing

// IsTask reports whether a topic is a task and no URI. Tasks come before all URIs, the oldest first.
func IsTask(topic string) bool { return strings.HasPrefix(topic, taskTopic) }

// MaxSessionTasks is how many tasks the client of a session is told about.
const MaxSessionTasks = maxSessionTasks

// FollowTask tells the client of the session about a task that another process has made for it. It does not block.
func (x *Session) FollowTask(topic string) {
	if t := x.c.s.tasks; t != nil && IsTask(topic) {
		t.follow(&x.c, topic)
	}
}

// Unfollowed counts tasks that the client of the session is not told about, because nobody could be told to do so.
func (x *Session) Unfollowed(n int) {
	if t := x.c.s.tasks; t != nil {
		t.unfollowed(n)
	}
}

// SetSubscriptions makes the session one that is subscribed to topics and nothing else, as its client and another
// process have agreed: tasks, and then the URIs of resources. What is new among them gets an update, because it may
// have changed meanwhile. The caller of the session that was set last must have the right to it.
func (x *Session) SetSubscriptions(topics []string) {
	if len(topics) == 0 && x.c.outgoing.opened() == nil {
		return
	}
	uris := topics
	for len(uris) > 0 && IsTask(uris[0]) {
		uris = uris[1:]
	}
	wanted := make(map[string]bool, len(uris))
	for _, uri := range uris {
		wanted[uri] = true
	}
	for _, uri := range x.c.streams().Resources() {
		if !wanted[uri] && !IsTask(uri) {
			x.c.streams().Part(uri)
		}
		delete(wanted, uri)
	}
	if t := x.c.s.tasks; t != nil {
		t.followOnly(&x.c, topics[:len(topics)-len(uris)])
	}
	last := x.c.legacy.latest.Load()
	if len(wanted) == 0 || last == nil {
		return
	}
	w := subscriber{&worker{c: &x.c, rev: x.Revision(), responder: &call.HTTPExchange{Caller: *last}}}
	for _, uri := range uris {
		if !wanted[uri] {
			continue
		}
		r, ok := w.shared(uri)
		if !ok {
			continue
		}
		failed := func(err error) { x.c.Log.Warn("mcp: subscription ended", "uri", uri, "err", err) }
		if err := x.c.streams().Join(r, failed); err != nil {
			failed(err)
		}
	}
}

// shared returns the subscription to a resource that another process has confirmed. It is false if the resource has
// gone meanwhile, or the right to it. Policies are asked before each update.
func (w subscriber) shared(uri string) (pubsub.Request, bool) {
	s := w.c.s
	i := s.route(uri, &w.vars)
	if i < 0 || !s.visible(feature.KindResource, i, w.rev) {
		return pubsub.Request{}, false
	}
	r := &s.features.Resources[i]
	if w.admit(r.Guard, errNoMethod) != nil || w.subscribeFault(i) != nil {
		return pubsub.Request{}, false
	}
	return w.subscription(r, uri), true
}

// subscribeShared is subscribe in a session that several processes serve: it responds once the subscription is kept.
// Whether this process delivers its updates is decided afterwards.
func (w subscriber) subscribeShared(r *feature.Resource, uri string) error {
	q := w.subscription(r, uri)
	u, err := w.c.streams().Subscribe(q)
	if err != nil {
		return subscriptionError(err, w.id)
	}
	granted := false
	defer func() {
		if !granted {
			w.c.streams().Withdraw(u)
		}
	}()
	if r.Watch != nil || r.Guard.Asks() {
		call, err := w.startResource(r)
		if err != nil {
			return err
		}
		w.enter()
		if err := w.askPolicies(call, r.Guard, true, notFound(w.rev, uri)); err != nil {
			return err
		}
		if err := w.watch(call, u, &q); err != nil {
			return err
		}
	}
	if err := w.c.keeper().Subscribe(w.values(), uri); err != nil {
		return err
	}
	granted = true
	return w.accept(u, w.unsettled)
}

// SameResource reports whether two URIs name one resource of s.
func SameResource(s *Server, a, b string) bool { return s.hub.SameResource(a, b) }

// unsubscribeShared is unsubscribe in such a session. The keeper knows what uri names, and calls SetSubscriptions: the
// other spellings of a resource may be kept.
func (w subscriber) unsubscribeShared(uri string) error {
	return w.c.keeper().Unsubscribe(w.values(), uri)
}

// Answer gives a response that the client has sent to another process to the request of x that it belongs to. It is
// false if there is none.
func (x *Session) Answer(text []byte) bool {
	m, bad := wire.ParseMessage(text, engine.Limits)
	return bad == nil && m.IsResponse() && x.c.Requests.Respond(&m)
}

// Cancel ends requests of x that notifications/cancelled names, which another process has got.
func (x *Session) Cancel(text []byte) { x.c.cancelInBatch([][]byte{text}) }
