package shared

import (
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// Replicas connects the sessions of an endpoint with the other processes of its server. It implements
// replicas.SessionPeer, and is safe for concurrent use. Make one with New.
type Replicas struct {
	srv      *server.Server
	sessions *sessions.Set
	log      *slog.Logger

	ids   sealedIDs
	Store *Store // nil without Options.SessionStore
	// connected says that there may be other replicas, on a bus.
	connected bool
	forwards  forwarding
}

// New makes the sessions of s known to the other processes of srv, if srv has keys. Without a store, a process adopts
// the session of another one if its id is no older than lifetime. store keeps the records of sessions for ttl; nil
// means no store.
func New(srv *server.Server, s *sessions.Set, log *slog.Logger, lifetime time.Duration,
	store replica.SessionStore, ttl time.Duration,
) *Replicas {
	h := &Replicas{srv: srv, sessions: s, log: log}
	if srv.RandomKeys() {
		return h
	}
	box, info := server.Identity(srv)
	h.ids.box, h.ids.name = box, info.Name
	h.ids.replica, h.ids.lifetime = rand.Text()[:replicaSize], lifetime
	var swept func()
	if store != nil {
		h.Store = newSharing(h, store, ttl)
		swept = h.Store.touchLater
		server.RememberStates(srv, usedStates{&h.Store.calls})
	}
	if name := server.AddSessionPeer(srv, h); name != "" {
		h.ids.replica, h.connected = name, true
	}
	s.Share(h.ids.replica+".", h.connected || store != nil, swept)
	return h
}

// Connected reports whether the server has a bus, and so may have other replicas.
func (h *Replicas) Connected() bool { return h.connected }

// Sealed reports whether session ids are sealed, so that other processes can adopt the sessions.
func (h *Replicas) Sealed() bool { return h.ids.on() }

// Begin prepares x, which initialize is about to open, for other processes.
func (h *Replicas) Begin(x *sessions.Session) {
	switch {
	case h.Store != nil:
		h.Store.share(x)
	case h.ids.on():
		x.MCP.ServeToo(h.ids.replica, nil)
	}
}

// End ends a session that has no record, in all processes. It returns false if the caller has no such session.
func (h *Replicas) End(id string, who mcp.Caller) bool {
	ended := h.ids.end(id, who)
	if x := h.sessions.Find(id, who.Subject); x != nil { // also if it has been adopted meanwhile
		h.sessions.Forget(x)
		x.Done()
		ended = true
	}
	if ended && h.connected {
		server.SignalEnded(h.srv, sessions.KeyOf(id).Text())
	}
	return ended
}

// known returns the session with a key; nil if this process does not have it.
func (h *Replicas) known(key string) *sessions.Session {
	k, ok := sessions.ParseKey(key)
	if !ok {
		return nil
	}
	return h.sessions.Known(k)
}

// SessionChanged implements replicas.SessionPeer. The record of the session with the key may have changed. If sessions
// have no records, the id of a task may follow the key: then the client of the session is to be told about the task.
// Older releases find no session for such a text, and ignore it.
func (h *Replicas) SessionChanged(key string) {
	key, task, follows := strings.Cut(key, keyEnd)
	x := h.known(key)
	switch {
	case x == nil:
	case recordOf(x) != nil:
		h.Store.suspect(x, 0)
	case follows && !x.Adopted:
		server.FollowTask(h.srv, x.MCP, task)
	}
}

// keyEnd separates, in a signal, the key of a session from the id of a task.
const keyEnd = "\x00"

// followElsewhere tells the process with the notification stream of x that its client follows a task.
func (h *Replicas) followElsewhere(x *sessions.Session, topic string) {
	server.SignalSession(h.srv, sessions.KeyOf(x.ID).Text()+keyEnd+topic)
}

// SessionEnded implements replicas.SessionPeer.
func (h *Replicas) SessionEnded(key string) {
	k, ok := sessions.ParseKey(key)
	if !ok {
		return
	}
	if h.Store == nil && !failpoint.On("session-delete-forgotten") { // otherwise the store says so to whoever asks
		h.ids.forbid(k)
	}
	if x := h.known(key); x != nil {
		go h.sessions.Forget(x) // Forget may wait for a write that is under way
	}
}

// Resync implements replicas.SessionPeer. Signals may have been lost, so it reads the records of all sessions again.
func (h *Replicas) Resync() {
	if h.Store == nil || failpoint.On("session-resync-ignored") {
		return
	}
	for x := range h.sessions.Shared() {
		h.Store.suspect(x, resyncSpread)
	}
}

// Direct implements replicas.SessionPeer.
func (h *Replicas) Direct(from string, payload []byte) { h.forwards.receive(h, from, payload) }
