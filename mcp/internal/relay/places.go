package relay

import "time"

// A replica leaves a place when it ends, and one that starts takes a place. A replica may have made changes that nobody
// has heard of. That shows only in the places: one was left without a bye, or a new replica finds none, because its
// predecessor was never heard. See doc.go.

// takePlaceLocked gives p, which was not heard before, the place of a replica that has ended. missed is true if that
// replica was lost: it may have made changes that nobody heard of, so everything may have changed. If there is no
// place, p has no predecessor, or one that was never heard. Then p owes a resync, unless the bye of a predecessor comes
// soon.
func (r *Relay) takePlaceLocked(p *peer, now time.Time) (missed bool) {
	var gone origin
	var left *peer
	for id, q := range r.peers {
		switch {
		case q == p:
		case q.missing && (r.peers[gone] == nil || q.heard.Before(r.peers[gone].heard)):
			gone = id
		case q.bye && !q.taken && (left == nil || q.heard.Before(left.heard)):
			left = q
		}
	}
	if left != nil {
		left.taken = true
	}
	if r.peers[gone] != nil {
		delete(r.peers, gone)
		return !r.without.newcomer()
	}
	if left == nil {
		p.owes = now
	}
	return false
}

// leavePlaceLocked notes that p has ended or is lost. taken says that a newer replica, which owes a resync, takes its
// place. If p is lost, that resync is due now.
func (r *Relay) leavePlaceLocked(p *peer) (taken bool) {
	var first *peer
	for _, q := range r.peers {
		if q != p && !q.owes.IsZero() && (first == nil || q.owes.Before(first.owes)) {
			first = q
		}
	}
	if first != nil {
		first.owes = time.Time{}
	}
	return first != nil
}

// isDue reports whether p has to pay the resync that it owes.
func (p *peer) isDue(now time.Time) bool { return !p.owes.IsZero() && now.Sub(p.owes) > silence }

// payLocked notes a resync. It covers the resyncs that replicas owe, as it comes after all changes of their
// predecessors.
func (r *Relay) payLocked() {
	for _, p := range r.peers {
		p.owes = time.Time{}
	}
}
