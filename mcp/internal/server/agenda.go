package server

// agenda holds subs that have something to tell, earliest due first. It links the subs themselves,
// so that adding one allocates nothing; a sub is in at most one agenda and at most once.
//
// An agenda is guarded by the mu of its outbox.
type agenda struct {
	head, tail *sub
}

// add puts u behind all that are due no later. Subs come in almost in order, so this looks at the
// last few only.
func (a *agenda) add(u *sub) {
	after := a.tail
	for after != nil && after.due > u.due {
		after = after.prev
	}
	u.prev = after
	if after == nil {
		u.next, a.head = a.head, u
	} else {
		u.next, after.next = after.next, u
	}
	if u.next == nil {
		a.tail = u
	} else {
		u.next.prev = u
	}
	u.queued = true
}

// remove takes u out; it must be in a.
func (a *agenda) remove(u *sub) {
	if u.prev == nil {
		a.head = u.next
	} else {
		u.prev.next = u.next
	}
	if u.next == nil {
		a.tail = u.prev
	} else {
		u.next.prev = u.prev
	}
	u.prev, u.next, u.queued = nil, nil, false
}
