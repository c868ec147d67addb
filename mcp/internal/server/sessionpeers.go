package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/internal/relay"
)

// SessionPeer is what has sessions of a server that other processes serve too. Its methods must not block.
type SessionPeer interface {
	// SessionChanged and SessionEnded say that another process has changed or ended the session with a key.
	SessionChanged(key string)
	SessionEnded(key string)
	// Direct takes what another process has sent to this one only.
	Direct(from string, payload []byte)
	// Resync says that any of these may have been lost.
	Resync()
}

// AddSessionPeer makes p one that is told what the other replicas of s say of sessions, until s is closed. It returns
// the name of this process among them; "" if s has no bus.
func AddSessionPeer(s *Server, p SessionPeer) (name string) {
	r := s.replicas
	if r == nil {
		return ""
	}
	r.peersMu.Lock()
	defer r.peersMu.Unlock()
	var all []SessionPeer
	if old := r.peers.Load(); old != nil {
		all = slices.Clone(*old)
	}
	all = append(all, p)
	r.peers.Store(&all)
	return r.Origin()
}

// SignalSession tells the other replicas of s that a session has changed, and SignalEnded that it has ended. They never
// block.
func SignalSession(s *Server, key string) { signalSession(s, relay.Session, key) }

// SignalEnded is described at [SignalSession].
func SignalEnded(s *Server, key string) { signalSession(s, relay.Ended, key) }

func signalSession(s *Server, kind relay.Kind, key string) {
	if s.replicas != nil {
		s.replicas.Note(relay.Signal{Kind: kind, Text: key})
	}
}

// SendDirect sends payload to one other replica of s, where [SessionPeer.Direct] gets it. It may be lost; the error
// says that it was not even sent. SendDirect never blocks, and keeps payload.
func SendDirect(s *Server, to string, payload []byte) error {
	if s.replicas == nil {
		return relay.ErrOrigin
	}
	return s.replicas.Connection.Direct(to, payload)
}

// eachPeer calls f for what has sessions.
func (r *replicas) eachPeer(f func(SessionPeer)) {
	if all := r.peers.Load(); all != nil {
		for _, p := range *all {
			f(p)
		}
	}
}
