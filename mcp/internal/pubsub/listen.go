package pubsub

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Listen is a stream that a client opens with one request for many topics.
type Listen struct {
	// ID identifies the request. It is not empty, and the same for all JSON spellings of one id.
	ID string
	Encoder
	// Settle is called when the server ends the listen. It claims the right to answer the request, and reports whether it
	// got this right. It is called with a lock held, so it must not block.
	Settle func() bool
	Topics []Request
}

// Listen adds a listen with its subscriptions. The caller then calls StartWatcher and WaitWatcher for its topics,
// Refuse for topics that the client may not receive, and at last Acknowledge or Drop. The error is an [Error].
func (t *Streams) Listen(l Listen) (*Stream, error) {
	s := &Stream{
		of: t, out: t.out, id: l.ID, enc: l.Encoder, revoke: t.revoke, client: t.limits.Client, held: true,
		settle: l.Settle,
	}
	resources := make(map[string]*Subscription)
	var uris []string // sorted in place of the subscriptions, because the code that sorts strings is linked anyway
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

// enter adds a listen to t.listens and counts its subscriptions. The error is an [Error].
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

// StartWatcher begins to open the watcher of a topic of s, and does not wait for it. The error is ErrTooManyWatchers or
// ErrClosed.
func (t *Streams) StartWatcher(s *Stream, target Topic) error {
	u := t.subscriptionTo(s, target)
	if u == nil {
		return nil // the stream has ended
	}
	_, err := t.hub.startWatcher(u)
	return err
}

// WaitWatcher waits until the watcher of a topic of s is open or ctx ends. If the watcher is not open, it ends the
// subscription and returns the reason.
func (t *Streams) WaitWatcher(ctx context.Context, s *Stream, target Topic) error {
	u := t.subscriptionTo(s, target)
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
	return fmt.Errorf("watch %s: %w", target.Text(), err)
}

// Refuse ends the subscription of s to a topic, because the client may not receive its updates. It must be called
// before s is acknowledged.
func (t *Streams) Refuse(s *Stream, target Topic) {
	if u := t.subscriptionTo(s, target); u != nil {
		t.revoke(u)
	}
}

// subscriptionTo returns the subscription of s to a topic; nil if the subscription or s has ended.
func (t *Streams) subscriptionTo(s *Stream, target Topic) *Subscription {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return s.findLocked(target)
}

// Acknowledge writes ack as the first message of s, and lets updates of s be written. If the server is ending the
// listens, the messages about the end of s follow at once. It does nothing if s has ended.
func (t *Streams) Acknowledge(s *Stream, ack []byte) {
	var left []*Subscription
	t.out.write.Lock() // no cancellation of s is answered before the messages of its end
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

// Cancel ends the listen with the given id without a message to the client, and reports whether there was such a
// listen. After any message that is written once Cancel has returned, no message of the listen follows.
func (t *Streams) Cancel(id string) bool {
	t.out.mu.Lock()
	s := t.listens[id]
	t.out.mu.Unlock()
	if s != nil {
		t.Drop(s)
	}
	return s != nil
}

// Drop ends a listen without a message to the client. It does nothing if the listen has ended.
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
