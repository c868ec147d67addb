package replicas

import "slices"

// SessionPeer is a transport whose sessions other replicas serve too. Replicas tell it of each other's changes. Its
// methods must not block.
type SessionPeer interface {
	// SessionChanged and SessionEnded say that another replica has changed or ended the session with the given key.
	SessionChanged(key string)
	SessionEnded(key string)
	// Direct takes the payload that the replica called sender has sent to this replica only.
	Direct(sender string, payload []byte)
	// Resync says that earlier calls of these methods may be missing, because frames of other replicas were lost.
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

// eachPeer calls f for each SessionPeer that was added.
func (r *Replica) eachPeer(f func(SessionPeer)) {
	if all := r.peers.Load(); all != nil {
		for _, p := range *all {
			f(p)
		}
	}
}
