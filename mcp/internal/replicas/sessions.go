package replicas

import "slices"

// SessionPeer is a transport with sessions that other processes serve too. Its methods must not block.
type SessionPeer interface {
	// SessionChanged and SessionEnded say that another process has changed or ended the session with a key.
	SessionChanged(key string)
	SessionEnded(key string)
	// Direct takes what another process has sent to this one only.
	Direct(from string, payload []byte)
	// Resync says that any of these may have been lost.
	Resync()
}

// AddPeer implements [Connection].
func (r *Replica) AddPeer(p SessionPeer) {
	r.peersMu.Lock()
	defer r.peersMu.Unlock()
	var all []SessionPeer
	if old := r.peers.Load(); old != nil {
		all = slices.Clone(*old)
	}
	all = append(all, p)
	r.peers.Store(&all)
}

// eachPeer calls f for each transport with such sessions.
func (r *Replica) eachPeer(f func(SessionPeer)) {
	if all := r.peers.Load(); all != nil {
		for _, p := range *all {
			f(p)
		}
	}
}
