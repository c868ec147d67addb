package pubsub

import "time"

const (
	// listDelay is how long a changed list waits for more changes before its update.
	listDelay = 10 * time.Millisecond
	// listGap is the least time between two updates of one list on one stream.
	listGap = 100 * time.Millisecond
)

// pumpState says whether somebody will look at the due queues.
type pumpState uint8

const (
	pumpIdle    pumpState = iota // nothing is due
	pumpArmed                    // the timer runs until wakeup
	pumpRunning                  // looks again before it ends
)

// pump writes what is due, then arms itself for what will be.
func (o *Outbox) pump() {
	o.mu.Lock()
	if o.state == pumpRunning {
		o.mu.Unlock()
		return // by an older run of the timer
	}
	o.state = pumpRunning
	o.mu.Unlock()
	o.pumpOn()
}

// pumpOn is pump while it is running.
func (o *Outbox) pumpOn() {
	whole := false
	defer func() {
		if !whole { // an authorizer has ended this goroutine, between two messages
			go o.pumpOn()
		}
	}()
	for more := true; more; {
		more, _ = o.step(true)
	}
	whole = true
}

// firstLocked returns the subscription that is due first.
func (o *Outbox) firstLocked() *Subscription {
	u, l := o.updates.head, o.lists.head
	if u == nil || l != nil && l.due < u.due {
		return l
	}
	return u
}

// takeLocked takes u off its due queue. A change that comes from now on marks it again.
func (o *Outbox) takeLocked(u *Subscription, now time.Duration) {
	o.queueOf(u).remove(u)
	u.delivered = now
	u.dirty.Store(false)
}

// scheduleLocked puts u, which is dirty and may be delivered, into its due queue.
func (o *Outbox) scheduleLocked(u *Subscription) {
	now := o.now()
	if u.topic.Kind == Resource {
		u.due = now + o.delay
	} else {
		u.due = max(now+listDelay, u.delivered+listGap)
	}
	o.queueOf(u).add(u)
	o.armLocked()
}

// queueOf returns the due queue for subscriptions like u.
func (o *Outbox) queueOf(u *Subscription) *dueQueue {
	if u.topic.Kind == Resource {
		return &o.updates
	}
	return &o.lists
}

// armLocked makes sure that the pump runs when the first subscription is due.
func (o *Outbox) armLocked() {
	u := o.firstLocked()
	if u == nil || o.err != nil || o.paused || o.state == pumpRunning || o.state == pumpArmed && o.wakeup <= u.due {
		return
	}
	o.state, o.wakeup = pumpArmed, u.due
	wait := max(u.due-o.now(), 0)
	if o.timer == nil {
		o.timer = time.AfterFunc(wait, o.pump)
	} else {
		o.timer.Reset(wait)
	}
}
