package pubsub

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Limits are the limits of one connection.
type Limits struct {
	// URIs is the largest number of subscriptions, except those to lists, of all streams of the connection together.
	URIs int
	// Listens is the largest number of open listens.
	Listens int
	// Client identifies the client, whose share of the limits of the hub is bounded; "" for a client without such a bound.
	Client string
}

// Streams are the streams of one connection, with their subscriptions: its session and any number of listens. It is
// safe for concurrent use.
//
// A subscription is made in two steps. Subscribe or Listen, called in the order of the messages, adds the subscription
// to the Streams and the hub. From this time changes mark it, but its updates are held back. Accept or Acknowledge,
// called when its watcher runs, queues the acknowledgement and releases the updates in one critical section. A
// cancellation between the two steps finds the subscription.
type Streams struct {
	hub    *Hub
	out    *Outbox
	limits Limits

	// The rest is guarded by out.mu.

	session Stream
	listens map[string]*Stream // by id
	uris    int                // how many subscriptions are reserved; a URI in two streams counts twice
	closing bool               // listens end as soon as they are acknowledged
}

// NewStreams returns the streams of the connection of o. The caller must call Close when the connection ends.
func (h *Hub) NewStreams(o *Outbox, limits Limits) *Streams {
	t := &Streams{hub: h, out: o, limits: limits}
	t.session = Stream{of: t, out: o, revoke: t.revoke, client: limits.Client, held: true}
	return t
}

// Request asks for a subscription to one topic.
type Request struct {
	Topic
	*Source // nil for a list, and for a topic that nothing watches and whose updates everybody may receive
}

// newSubscription returns the subscription of s that r asks for. It has not joined its topic yet.
func newSubscription(s *Stream, r Request) *Subscription {
	u := &Subscription{stream: s, kind: r.Kind}
	if !r.Kind.isList() {
		u.uri, u.source = r.URI, r.Source
	}
	return u
}

// OpenSession begins the session: from this time it gets updates of the given lists, and of the topics that it
// subscribes to. since is an earlier result of [Hub.ListChanges]: each list that has changed since gets an update.
// OpenSession does nothing the second time.
func (t *Streams) OpenSession(enc Encoder, lists []Kind, since uint64) {
	s := &t.session
	var subs []*Subscription // they join their topics before the session is open
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

// Subscribe gives the session a subscription to a topic that is no list. The caller then waits for the watcher with
// [Hub.Watch], and must call Accept or Withdraw once for each Subscribe. A second Subscribe for the same URI returns
// the same subscription. The error is an [Error].
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

// placeLocked returns the existing subscription of the session to the topic of made, or else adds made itself. It adds
// one to the pending requests of the subscription.
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

// reserveLocked counts n more subscriptions. If these are too many, it counts nothing and returns an error.
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

// giveBackLocked undoes reserveLocked.
func (t *Streams) giveBackLocked(n int) {
	if n > 0 {
		t.uris -= n
		t.hub.shares.give(t.limits.Client, countSubscriptions, n)
	}
}

// Accept writes answer, the response to the request for u, and lets updates of u be written. It first calls live, with
// its locks held. If live returns false, the request was cancelled, and Accept does what Withdraw does instead. A nil
// answer is for a request that is answered elsewhere; Accept then does not wait for other writes.
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

// Withdraw undoes one Subscribe that was not accepted. The subscription ends unless another Subscribe for it was
// accepted or is still pending.
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

// Unsubscribe ends the subscription of the session to uri, if there is one. If the session has not subscribed with this
// spelling, all its subscriptions to the same resource end. After any message that is written once Unsubscribe has
// returned, such as the response, no update follows.
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

// unsubscribeOthers ends all subscriptions of the session to the resource with key k, and returns them. The caller must
// call leave afterwards.
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

// unsubscribeLocked ends the given subscriptions of the session, and returns them without nil ones.
func (t *Streams) unsubscribeLocked(subs ...*Subscription) (left []*Subscription) {
	for _, u := range subs {
		if u != nil {
			t.endURILocked(&t.session, u)
			left = append(left, u)
		}
	}
	return left
}

// endURILocked ends u and removes it from s. The caller must call Hub.leave afterwards.
func (t *Streams) endURILocked(s *Stream, u *Subscription) {
	u.endLocked()
	if i, found := s.indexLocked(u.name()); found && s.uris[i] == u {
		s.uris = slices.Delete(s.uris, i, i+1)
		t.giveBackLocked(1)
	}
}

// Resync marks all subscriptions of the session, because its client may have lost updates.
func (t *Streams) Resync() { t.resync(func(*Subscription) bool { return true }) }

// ResyncAuthorized marks the subscriptions of the session with an [Authorizer], because its decisions may have changed.
func (t *Streams) ResyncAuthorized() {
	t.resync(func(u *Subscription) bool { return u.authorizer() != nil })
}

// resync marks the subscriptions of the session for which fits returns true. It calls fits without a lock.
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

// revoke ends u, because its client may not receive its updates. If the stream of u has begun, it also marks the
// subscription to the list of resources, because for the client the resource is no longer in the list.
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
	for i := range lists { // without lists[i].delivered, which is guarded
		if l := lists[i].Subscription; l.kind == ResourceList {
			l.mark()
		}
	}
}

// Close ends all streams. If graceful is true, it writes the end of each listen. A listen that is not acknowledged yet
// ends right after its acknowledgement. If graceful is false, nothing more is written.
func (t *Streams) Close(graceful bool) {
	if graceful {
		t.out.write.Lock() // no cancellation of a listen is answered before the messages of its end
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
				s.settle() // for a held listen, its handler ends its call
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

// removeLocked ends a listen and returns its subscriptions. If the listen has already ended, it does nothing, because
// the id may belong to a new listen.
func (t *Streams) removeLocked(s *Stream) []*Subscription {
	if s.ended {
		return nil
	}
	delete(t.listens, s.id)
	t.hub.counts.listens.Add(-1)
	t.giveBackLocked(len(s.uris))
	return s.endLocked()
}

// endListenLocked ends a listen, queues the messages about its end and returns its subscriptions.
func (t *Streams) endListenLocked(s *Stream) []*Subscription {
	if s.settle() {
		for _, frame := range s.enc.End() {
			t.out.queueLocked(frame, nil)
		}
	}
	return t.removeLocked(s)
}

// leave calls Hub.leave for each of the subscriptions.
func (t *Streams) leave(subs []*Subscription) {
	for _, u := range subs {
		t.hub.leave(u)
	}
}
