package mcphttp

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// peers is a handler as the other replicas of its server see it. It implements server.SessionPeer.
type peers struct{ *handler }

// meet makes the handler known to the other replicas, if there can be any.
func (h peers) meet() {
	if h.opts.SessionStore != nil {
		h.shared = newSharing(h.handler)
		server.RememberStates(h.srv, usedStates{&h.shared.calls})
	}
	if name := server.AddSessionPeer(h.srv, h); name != "" {
		h.ids.replica, h.connected = name, true
	}
	h.ids.prefix = h.ids.replica + "."
}

// findByKey reports whether sessions are found by their keys too.
func (h peers) findByKey() bool { return h.connected || h.shared != nil }

// known returns the session with a key; nil if it is not here.
func (h peers) known(key string) *session {
	k, ok := keyOfText(key)
	if !ok {
		return nil
	}
	v, _ := h.byKey.Load(k)
	x, _ := v.(*session)
	return x
}

// SessionChanged implements server.SessionPeer. What follows a key is a task that the client of the session is to be
// told about, where sessions have no records; older processes know no session of such a key.
func (h peers) SessionChanged(key string) {
	key, task, follows := strings.Cut(key, keyEnd)
	x := h.known(key)
	switch {
	case x == nil:
	case x.shared() != nil:
		h.shared.suspect(x, 0)
	case follows && !x.adopted:
		x.mcp.FollowTask(task)
	}
}

// keyEnd is between the key of a session and a task.
const keyEnd = "\x00"

// followElsewhere says to the process that has the notification stream of x that its client is to be told about a task.
func (h peers) followElsewhere(x *session, topic string) {
	server.SignalSession(h.srv, keyOf(x.id).text()+keyEnd+topic)
}

// SessionEnded implements server.SessionPeer.
func (h peers) SessionEnded(key string) {
	k, ok := keyOfText(key)
	if !ok {
		return
	}
	if h.shared == nil && !failpoint.On("session-delete-forgotten") { // otherwise the store says so to whoever asks
		h.ids.forbid(k)
	}
	if x := h.known(key); x != nil {
		go h.forget(x) // which waits for a write that is under way
	}
}

// Resync implements server.SessionPeer: signals may have been lost.
func (h peers) Resync() {
	if h.shared == nil || failpoint.On("session-resync-ignored") {
		return
	}
	for _, x := range h.byKey.Range {
		h.shared.suspect(x.(*session), resyncSpread)
	}
}

// Direct implements server.SessionPeer.
func (h peers) Direct(from string, payload []byte) { h.forwards.receive(h, from, payload) }
