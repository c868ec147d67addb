package pubsub

// dueQueue holds subscriptions with an update to deliver, earliest due first. It links the subscriptions themselves, so
// that adding one allocates nothing; a subscription is in at most one queue and at most once.
//
// A dueQueue is guarded by the mu of its outbox.
type dueQueue struct {
	head, tail *Subscription
}

// add puts u behind all that are due no later. Subscriptions come almost in order, so add looks only at the last few.
func (q *dueQueue) add(u *Subscription) {
	after := q.tail
	for after != nil && after.due > u.due {
		after = after.prev
	}
	u.prev = after
	if after == nil {
		u.next, q.head = q.head, u
	} else {
		u.next, after.next = after.next, u
	}
	if u.next == nil {
		q.tail = u
	} else {
		u.next.prev = u
	}
	u.state |= isQueued
}

// remove takes u out; it must be in q.
func (q *dueQueue) remove(u *Subscription) {
	if u.prev == nil {
		q.head = u.next
	} else {
		u.prev.next = u.next
	}
	if u.next == nil {
		q.tail = u.prev
	} else {
		u.next.prev = u.prev
	}
	u.prev, u.next = nil, nil
	u.state &^= isQueued
}
