package pubsub

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Limits bound what one connection may have open.
type Limits struct {
	// URIs is the most subscriptions to resources that all streams of the connection have together.
	URIs int
	// Listens is the most open listens.
	Listens int
	// Client identifies the client, so that its share can be bounded; "" for a client without such a bound.
	Client string
}

// Streams are the subscriptions of one connection: its session and any number of listens. It is safe for concurrent
// use.
//
// A subscription is made in two steps. Subscribe and Listen, called in the order of the messages, enter it here and in
// the hub; its updates are held back, so that it misses no change. Accept and Acknowledge, called when its watcher
// runs, queue the acknowledgement and release the updates in one critical section. A cancellation between the two steps
// finds the subscription.
type Streams struct {
	hub    *Hub
	out    *Outbox
	limits Limits

	// The rest is guarded by out.mu.

	session Stream
	listens map[string]*Stream // by id
	uris    int                // subscribed, duplicates in several streams included
	closing bool               // listens end as soon as they are acknowledged
}

// NewStreams returns the subscriptions of the connection of o. Whoever learns that the connection has died closes them.
func (h *Hub) NewStreams(o *Outbox, limits Limits) *Streams {
	t := &Streams{hub: h, out: o, limits: limits}
	t.session = Stream{of: t, out: o, revoke: t.revoke, client: limits.Client, held: true}
	return t
}

// Request is one topic that a client subscribes to.
type Request struct {
	Topic
	*Source // of a topic that is no list; nil if nothing watches it, and everybody may receive its updates
}

// newSubscription returns the subscription of s that r asks for, which is in no topic yet.
func newSubscription(s *Stream, r Request) *Subscription {
	u := &Subscription{stream: s, kind: r.Kind}
	if !r.Kind.isList() {
		u.uri, u.source = r.URI, r.Source
	}
	return u
}

// OpenSession begins the session: from now on it receives updates of the lists, and of what it has subscribed to. It
// does nothing the second time. since is an earlier value of [Hub.ListChanges]: if lists have changed since then, the
// session gets an update of them.
func (t *Streams) OpenSession(enc Encoder, lists []Kind, since uint64) {
	s := &t.session
	var subs []*Subscription // in their topics before anybody else can mark them
	var entries []listed
	for _, kind := range lists {
		u := newSubscription(s, Request{Topic: Topic{Kind: kind}})
		if t.hub.join(u) == nil { // a closed hub has no updates
			subs = append(subs, u)
			entries = append(entries, listed{u, neverDelivered})
		}
	}
	t.out.mu.Lock()
	begins := !s.ended && s.held
	if begins {
		s.enc, s.lists = enc, entries
		s.releaseLocked()
	} else {
		for _, u := range subs {
			u.endLocked()
		}
	}
	t.out.mu.Unlock()
	if !begins {
		t.leave(subs)
		return
	}
	for _, u := range subs {
		if t.hub.listsChanged[u.kind].Load() > since {
			u.mark()
		}
	}
}

// Subscribe gives the session a subscription to a resource. Wait for its watcher then ([Hub.Watch]), and call Accept or
// Withdraw once for each Subscribe. To subscribe again to the same URI is no error and returns the same subscription.
// The error is an [Error].
func (t *Streams) Subscribe(r Request) (*Subscription, error) {
	made := newSubscription(&t.session, r)
	t.out.mu.Lock()
	u, err := t.placeLocked(made)
	t.out.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := t.hub.join(u); err != nil {
		t.Withdraw(u)
		return nil, err
	}
	return u, nil
}

// placeLocked returns the subscription of the session to the URI of made: the one that exists, or made itself. It
// counts one more pending request of it.
func (t *Streams) placeLocked(made *Subscription) (*Subscription, error) {
	s := &t.session
	u := s.findLocked(made.name())
	switch {
	case s.ended:
		return nil, ErrClosed
	case u == nil:
		if err := t.reserveLocked(1); err != nil {
			return nil, err
		}
		u = made
		u.state |= isHeld
		s.putLocked(u)
	}
	u.pending++
	return u, nil
}

// reserveLocked counts n more URIs, or fails if these are too many.
func (t *Streams) reserveLocked(n int) error {
	if t.uris+n > t.limits.URIs {
		t.hub.shares.refuse(countSubscriptions, n)
		return errTooMany("subscriptions", t.limits.URIs, " resources")
	}
	if n > 0 && !t.hub.shares.take(t.limits.Client, countSubscriptions, n) {
		return ErrFull
	}
	t.uris += n
	return nil
}

// giveBackLocked is the reverse of reserveLocked.
func (t *Streams) giveBackLocked(n int) {
	if n > 0 {
		t.uris -= n
		t.hub.shares.give(t.limits.Client, countSubscriptions, n)
	}
}

// Accept writes answer, the confirmation of u, and lets updates of u be written. If live is false, the request was
// cancelled, and is withdrawn instead; live is called with the locks held under which the answer is written. A nil
// answer is for a request that is answered elsewhere: Accept does not wait for other writes then.
func (t *Streams) Accept(u *Subscription, answer []byte, live func() bool) {
	if answer != nil {
		t.out.write.Lock()
	}
	t.out.mu.Lock()
	accepted := live()
	if accepted {
		u.pending--
		if answer != nil {
			t.out.queueLocked(answer, nil)
		}
		u.releaseLocked()
	}
	t.out.mu.Unlock()
	if answer != nil {
		t.out.flushLocked()
	}
	if !accepted {
		t.Withdraw(u)
	}
}

// Withdraw takes back one Subscribe. The subscription ends if no other Subscribe to it is accepted or may still be.
func (t *Streams) Withdraw(u *Subscription) {
	t.out.mu.Lock()
	u.pending--
	ends := u.pending == 0 && u.is(isHeld)
	if ends {
		t.endURILocked(&t.session, u)
	}
	t.out.mu.Unlock()
	if ends {
		t.hub.leave(u)
	}
}

// Unsubscribe ends the subscription of the session to uri, if there is one. If the session has not subscribed with that
// spelling, all its subscriptions to the same resource end. Once it has returned, no update is written behind another
// message, such as the answer.
func (t *Streams) Unsubscribe(uri string) {
	t.out.mu.Lock()
	left := t.unsubscribeLocked(t.session.findLocked(Topic{URI: uri}))
	others := len(t.session.uris) > 0
	t.out.mu.Unlock()
	if left == nil && others {
		left = t.unsubscribeOthers(t.hub.keyOf(Topic{URI: uri}))
	}
	t.leave(left)
}

// unsubscribeOthers ends the subscriptions of the session to the resource of k, and returns them.
func (t *Streams) unsubscribeOthers(k key) []*Subscription {
	t.hub.mu.RLock()
	defer t.hub.mu.RUnlock()
	entry := t.hub.resources.find(k)
	if entry == nil {
		return nil
	}
	var own []*Subscription
	for _, u := range entry.subscriptions() {
		if u.stream == &t.session {
			own = append(own, u)
		}
	}
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return t.unsubscribeLocked(own...)
}

// unsubscribeLocked ends subscriptions of the session, and returns those that are not nil.
func (t *Streams) unsubscribeLocked(subs ...*Subscription) (left []*Subscription) {
	for _, u := range subs {
		if u != nil {
			t.endURILocked(&t.session, u)
			left = append(left, u)
		}
	}
	return left
}

// endURILocked removes u from its stream. The caller lets it leave the hub afterwards.
func (t *Streams) endURILocked(s *Stream, u *Subscription) {
	u.endLocked()
	if i, found := s.indexLocked(u.name()); found && s.uris[i] == u {
		s.uris = slices.Delete(s.uris, i, i+1)
		t.giveBackLocked(1)
	}
}

// Resync marks all subscriptions of the session, because its client may have lost updates.
func (t *Streams) Resync() { t.resync(func(*Subscription) bool { return true }) }

// ResyncAuthorized marks the subscriptions of the session that have an [Authorizer], because its answer may have
// changed.
func (t *Streams) ResyncAuthorized() {
	t.resync(func(u *Subscription) bool { return u.authorizer() != nil })
}

// resync marks those subscriptions of the session for which fits returns true. No lock is held while fits runs.
func (t *Streams) resync(fits func(u *Subscription) bool) {
	t.out.mu.Lock()
	all := t.session.allLocked()
	t.out.mu.Unlock()
	for _, u := range all {
		if fits(u) {
			u.mark()
		}
	}
}

// revoke ends u, because its client may not receive its updates. If the stream of u has begun, it also marks the list
// of resources, in which the client does not see the resource any more.
func (t *Streams) revoke(u *Subscription) {
	t.out.mu.Lock()
	ends, lists := !u.is(isEnded), u.stream.lists
	if ends {
		t.endURILocked(u.stream, u)
	}
	if !ends || u.stream.held || failpoint.On("access-revoke-silent") {
		lists = nil
	}
	t.out.mu.Unlock()
	if ends {
		t.hub.leave(u)
	}
	for i := range lists { // the times in it are not read, because they are guarded
		if l := lists[i].Subscription; l.kind == ResourceList {
			l.mark()
		}
	}
}

// Close ends all streams. A graceful close writes the end of each listen; for a listen that is not acknowledged yet,
// that follows the acknowledgement. Otherwise nothing more is written.
func (t *Streams) Close(graceful bool) {
	if graceful {
		t.out.write.Lock() // no cancellation comes between the end of a listen and its messages
	}
	t.out.mu.Lock()
	t.closing = graceful
	t.giveBackLocked(len(t.session.uris))
	left := t.session.endLocked()
	for _, s := range t.listens {
		switch {
		case graceful && !s.held:
			left = append(left, t.endListenLocked(s)...)
		case !graceful:
			if !s.held {
				s.settle() // the handler of a held one is still there to see to its call
			}
			t.out.takeBackLocked(s)
			left = append(left, t.removeLocked(s)...)
		}
	}
	t.out.mu.Unlock()
	if graceful {
		t.out.flushLocked()
	}
	t.leave(left)
}

// removeLocked ends a listen and returns its subscriptions. If it has ended already, nothing is done: its id may be in
// use again.
func (t *Streams) removeLocked(s *Stream) []*Subscription {
	if s.ended {
		return nil
	}
	delete(t.listens, s.id)
	t.hub.counts.listens.Add(-1)
	t.giveBackLocked(len(s.uris))
	return s.endLocked()
}

// endListenLocked ends a listen, queues the messages that say so and returns its subscriptions.
func (t *Streams) endListenLocked(s *Stream) []*Subscription {
	if s.settle() {
		for _, frame := range s.enc.End() {
			t.out.queueLocked(frame, nil)
		}
	}
	return t.removeLocked(s)
}

// leave takes subscriptions out of the hub.
func (t *Streams) leave(subs []*Subscription) {
	for _, u := range subs {
		t.hub.leave(u)
	}
}
