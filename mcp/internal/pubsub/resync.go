package pubsub

import (
	"math/rand/v2"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Resync tells the clients of all subscriptions that their topics may have changed. Each connection gets these updates
// at a random time within spread, so that not all clients read at the same time. Updates for known changes do not wait
// for them.
func (h *Hub) Resync(spread time.Duration) {
	for i := range h.listsChanged {
		h.noteList(Kind(i))
	}
	for _, u := range h.all() {
		if u.kind.isList() && failpoint.On("hub-resync-no-lists") {
			continue
		}
		u.resync(spread)
	}
}

// EndListens ends all listens, and tells their clients. A listen that is not acknowledged yet ends right after its
// acknowledgement.
func (h *Hub) EndListens() {
	for _, u := range h.all() {
		if u.stream.id != "" {
			u.stream.of.end(u.stream)
		}
	}
}

// all returns all subscriptions, so that the caller can go through them without the lock of the hub, which publishers
// need.
func (h *Hub) all() []*Subscription {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var all []*Subscription
	for t := range h.resources.all() {
		all = append(all, t.subscriptions()...)
	}
	for i := range h.lists {
		all = append(all, h.lists[i].subscriptions()...)
	}
	return all
}

// resync plans an update of u, because a change may have been missed. The update is due at a random time within spread,
// which is the same for all subscriptions of a connection.
func (u *Subscription) resync(spread time.Duration) {
	o := u.stream.out
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case u.is(isEnded|isResync) || u.dirty.Load():
		return
	case u.is(isHeld) || u.stream.held:
		u.dirty.Store(!failpoint.On("hub-resync-held"))
		return
	}
	if last := o.resyncs.tail; last != nil {
		u.due = last.due // u goes to the end of the queue, so add is quick
	} else {
		u.due = o.now() + rand.N(spread+1) //nolint:gosec // not a secret
	}
	u.state |= isResync
	o.resyncs.add(u)
	o.armLocked()
}

// end ends a listen and tells its client.
func (t *Streams) end(s *Stream) {
	var left []*Subscription
	t.out.write.Lock() // no cancellation of s is answered before the messages of its end
	t.out.mu.Lock()
	switch {
	case s.ended:
	case s.held:
		s.ends = true
	default:
		left = t.endListenLocked(s)
	}
	t.out.mu.Unlock()
	t.out.flushLocked()
	t.leave(left)
}
