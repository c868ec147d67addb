package mcphttp

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
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
	var swept func()
	if h.shared != nil {
		swept = h.shared.touchLater
	}
	h.sessions.Share(h.ids.replica+".", h.connected || h.shared != nil, swept)
}

// known returns the session with a key; nil if it is not here.
func (h peers) known(key string) *sessions.Session {
	k, ok := sessions.ParseKey(key)
	if !ok {
		return nil
	}
	return h.sessions.Known(k)
}

// SessionChanged implements server.SessionPeer. What follows a key is a task that the client of the session is to be
// told about, where sessions have no records; older processes know no session of such a key.
func (h peers) SessionChanged(key string) {
	key, task, follows := strings.Cut(key, keyEnd)
	x := h.known(key)
	switch {
	case x == nil:
	case recordOf(x) != nil:
		h.shared.suspect(x, 0)
	case follows && !x.Adopted:
		x.MCP.FollowTask(task)
	}
}

// keyEnd is between the key of a session and a task.
const keyEnd = "\x00"

// followElsewhere says to the process that has the notification stream of x that its client is to be told about a task.
func (h peers) followElsewhere(x *sessions.Session, topic string) {
	server.SignalSession(h.srv, sessions.KeyOf(x.ID).Text()+keyEnd+topic)
}

// SessionEnded implements server.SessionPeer.
func (h peers) SessionEnded(key string) {
	k, ok := sessions.ParseKey(key)
	if !ok {
		return
	}
	if h.shared == nil && !failpoint.On("session-delete-forgotten") { // otherwise the store says so to whoever asks
		h.ids.forbid(k)
	}
	if x := h.known(key); x != nil {
		go h.sessions.Forget(x) // which waits for a write that is under way
	}
}

// Resync implements server.SessionPeer: signals may have been lost.
func (h peers) Resync() {
	if h.shared == nil || failpoint.On("session-resync-ignored") {
		return
	}
	for x := range h.sessions.Shared() {
		h.shared.suspect(x, resyncSpread)
	}
}

// Direct implements server.SessionPeer.
func (h peers) Direct(from string, payload []byte) { h.forwards.receive(h, from, payload) }
