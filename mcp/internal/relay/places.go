package relay

import "time"

// A replica leaves a place when it ends, and a replica that starts takes a place. A replica may have ended with changes
// that no other has heard of. Only the places show this: a place was left without a bye, or a new replica finds no
// place, because its predecessor was never heard. See doc.go.

// takePlace gives p, a peer that was not heard before, the place of a replica that has ended. missed is true if this
// replica was lost without a bye: it may have made changes that nobody heard of, and a resync is needed. If there is no
// place, p has no predecessor, or one that was never heard. Then p owes a resync, unless the bye of a predecessor comes
// soon.
func (ps *peers) takePlace(p *peer, now time.Time) (missed bool) {
	var gone origin
	var left *peer
	for id, q := range ps.all {
		switch {
		case q == p:
		case q.missing && (ps.all[gone] == nil || q.heard.Before(ps.all[gone].heard)):
			gone = id
		case q.bye && !q.taken && (left == nil || q.heard.Before(left.heard)):
			left = q
		}
	}
	if left != nil {
		left.taken = true
	}
	if ps.all[gone] != nil {
		delete(ps.all, gone)
		return !ps.without.newcomer()
	}
	if left == nil {
		p.owes = now
	}
	return false
}

// leavePlace is called when p has ended or is lost. If newer replicas owe a resync, the first of them takes the place
// of p and owes none any more, and taken is true. If p is lost, the caller begins a resync.
func (ps *peers) leavePlace(p *peer) (taken bool) {
	var first *peer
	for _, q := range ps.all {
		if q != p && !q.owes.IsZero() && (first == nil || q.owes.Before(first.owes)) {
			first = q
		}
	}
	if first != nil {
		first.owes = time.Time{}
	}
	return first != nil
}

// isDue reports whether p has owed a resync for so long that it must begin.
func (p *peer) isDue(now time.Time) bool { return !p.owes.IsZero() && now.Sub(p.owes) > silence }

// pay is called at each resync. The resync comes after all changes of predecessors that ended unheard, so no replica
// owes one any more.
func (ps *peers) pay() {
	for _, p := range ps.all {
		p.owes = time.Time{}
	}
}
