package pubsub

// dueQueue is a list of subscriptions with an update to deliver, earliest due first. The links are fields of the
// subscriptions, so that add allocates nothing. So a subscription can be in only one queue.
//
// A dueQueue is guarded by the mu of its outbox.
type dueQueue struct {
	head, tail *Subscription
}

// add inserts u after all subscriptions that are due earlier or at the same time. Subscriptions are added almost in
// order, so add compares only the last few.
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

// remove removes u, which must be in q.
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
