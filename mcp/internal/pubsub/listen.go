package pubsub

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Listen is a stream that a client opens with one request for many topics.
type Listen struct {
	// ID is that of the request, not empty, and the same for all spellings of one id.
	ID string
	Encoder
	// Settle takes the right to answer the request, once the server ends the listen, and reports whether it got it. It is
	// called with a lock held.
	Settle func() bool
	Topics []Request
}

// Listen enters a listen with its subscriptions. The caller then waits for its watchers, refuses what cannot be
// watched, and acknowledges the listen. The error is an [Error].
func (t *Streams) Listen(l Listen) (*Stream, error) {
	s := &Stream{
		of: t, out: t.out, id: l.ID, enc: l.Encoder, revoke: t.revoke, client: t.limits.Client, held: true,
		settle: l.Settle,
	}
	resources := make(map[string]*Subscription)
	var uris []string // sorted instead of the subscriptions: the code that sorts strings is linked in any case
	var named []*Subscription
	for _, r := range l.Topics { // s is not shared yet
		u := newSubscription(s, r)
		switch {
		case r.Kind.isList():
			s.lists = append(s.lists, listed{u, neverDelivered})
		case r.Kind.isNamed():
			named = append(named, u)
		case resources[u.uri] == nil:
			resources[u.uri], uris = u, append(uris, u.uri)
		}
	}
	slices.Sort(uris)
	for _, uri := range uris {
		s.uris = append(s.uris, resources[uri])
	}
	for _, u := range named {
		if s.findLocked(u.name()) == nil {
			s.putLocked(u)
		}
	}
	subs := s.allLocked()
	if err := t.enter(s); err != nil {
		return nil, err
	}
	for _, u := range subs {
		if err := t.hub.join(u); err != nil {
			t.Drop(s)
			return nil, err
		}
		if u.kind == Task && !failpoint.On("task-listen-present-state") {
			u.mark()
		}
	}
	return s, nil
}

// enter puts a listen into the table.
func (t *Streams) enter(s *Stream) error {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	switch {
	case t.listens[s.id] != nil:
		return ErrDuplicate
	case len(t.listens) >= t.limits.Listens:
		t.hub.counts.refusedListens.Add(1)
		return errTooMany("listens", t.limits.Listens, "")
	}
	if err := t.reserveLocked(len(s.uris)); err != nil {
		return err
	}
	if t.session.ended && !t.closing {
		t.giveBackLocked(len(s.uris))
		return ErrClosed
	}
	if t.listens == nil {
		t.listens = make(map[string]*Stream)
	}
	t.listens[s.id] = s
	t.hub.counts.listens.Add(1)
	return nil
}

// StartWatcher begins to open the watcher of a topic of s, without waiting for it. It fails if there are too many, or
// the hub is closed.
func (t *Streams) StartWatcher(s *Stream, of Topic) error {
	u := t.subscriptionTo(s, of)
	if u == nil {
		return nil // the stream has ended
	}
	_, err := t.hub.startWatcher(u)
	return err
}

// WaitWatcher waits until the watcher of a topic of s is open or ctx ends. The error is why it is not open; a
// subscription whose watcher fails ends.
func (t *Streams) WaitWatcher(ctx context.Context, s *Stream, of Topic) error {
	u := t.subscriptionTo(s, of)
	if u == nil {
		return nil // the stream has ended
	}
	err := t.hub.waitWatcher(ctx, u)
	if err == nil {
		return nil
	}
	t.out.mu.Lock()
	t.endURILocked(s, u)
	t.out.mu.Unlock()
	t.hub.leave(u)
	return fmt.Errorf("watch %s: %w", of.Text(), err)
}

// Refuse ends the subscription of s to a topic, because its client may not receive the updates. It must be called
// before s is acknowledged.
func (t *Streams) Refuse(s *Stream, of Topic) {
	if u := t.subscriptionTo(s, of); u != nil {
		t.revoke(u)
	}
}

// subscriptionTo returns the subscription of s to a topic; nil if it has ended.
func (t *Streams) subscriptionTo(s *Stream, of Topic) *Subscription {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return s.findLocked(of)
}

// Acknowledge queues ack as the first message of s, and lets updates of s be written. If the server is ending, the end
// of s follows at once. Nothing happens if s has ended.
func (t *Streams) Acknowledge(s *Stream, ack []byte) {
	var left []*Subscription
	t.out.write.Lock() // no cancellation comes between the end and its messages
	t.out.mu.Lock()
	if !s.ended {
		t.out.queueLocked(ack, s)
		s.releaseLocked()
		if t.closing || s.ends {
			left = t.endListenLocked(s)
		}
	}
	t.out.mu.Unlock()
	t.out.flushLocked()
	t.leave(left)
}

// Cancel ends the listen with the given id without a message, and reports whether there was one. Once Cancel has
// returned, no message of the listen is written behind another message.
func (t *Streams) Cancel(id string) bool {
	t.out.mu.Lock()
	s := t.listens[id]
	t.out.mu.Unlock()
	if s != nil {
		t.Drop(s)
	}
	return s != nil
}

// Drop ends a listen without a message, if it has not ended.
func (t *Streams) Drop(s *Stream) {
	t.out.mu.Lock()
	t.out.takeBackLocked(s)
	left := t.removeLocked(s)
	t.out.mu.Unlock()
	t.leave(left)
}

// HasListens reports whether a listen is open.
func (t *Streams) HasListens() bool {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return len(t.listens) > 0
}
