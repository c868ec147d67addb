package relay

import "time"

// A replica leaves a place when it ends, and one that starts takes one. What a replica has done that nobody has heard
// of shows only by that: its place was left without a bye, or by nobody that was ever heard. See doc.go.

// takePlaceLocked gives p, which was not heard before, the place of a replica that has ended. It reports whether all
// may have changed: a replica that was lost may have gone on where nobody heard it, and p may be its successor. Without
// any place p owes a resync, because its predecessor was never heard, or it has none; a bye that comes soon pays it.
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

// leavePlaceLocked notes that p has ended, or is lost, and reports whether another one that has come before and owes a
// resync has taken its place. For one that is lost that resync is to come now.
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

// payLocked notes a resync: it comes after all that the predecessors of those that were heard have done.
func (r *Relay) payLocked() {
	for _, p := range r.peers {
		p.owes = time.Time{}
	}
}
