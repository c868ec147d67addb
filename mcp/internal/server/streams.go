package server

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	defaultMaxSubscriptions = 10_000
	defaultMaxListens       = 100
	defaultUpdateDelay      = 10 * time.Millisecond
)

// streams are the subscriptions of one conn: its legacy session and any number of listens.
//
// A subscription is made in two steps. The first, in the order of the messages, gives it its
// place: subscribe and listen enter it here and in the hub, held, so that it misses no signal.
// The second, when its watcher runs, queues the acknowledgement and releases what was held, in one
// critical section: accept and acknowledge. A cancellation between the two finds the place.
type streams struct {
	hub *hub
	out *outbox

	maxURIs, maxListens int

	// endFrames returns all that ends a listen for good, when it is the server that ends it. It is
	// called under out.mu and may return nil.
	endFrames func(s *stream) [][]byte

	// The rest is guarded by out.mu.

	legacy  stream
	listens map[wire.ID]*stream // by idKey
	uris    int                 // subscribed, duplicates in several streams included
	closing bool                // listens end as soon as they are acknowledged
}

// newStreams returns the subscriptions of the conn of out, and sets out's clock and delay. Whoever
// learns that the conn has died closes them.
func newStreams(h *hub, out *outbox, opts *Options) *streams {
	t := &streams{hub: h, out: out, maxURIs: opts.MaxSubscriptions, maxListens: opts.MaxListens}
	if t.maxURIs == 0 {
		t.maxURIs = defaultMaxSubscriptions
	}
	if t.maxListens == 0 {
		t.maxListens = defaultMaxListens
	}
	out.clock, out.delay = h.now, opts.UpdateDelay
	if out.delay == 0 {
		out.delay = defaultUpdateDelay
	}
	t.legacy = stream{out: out, held: true}
	return t
}

// topicRequest is one topic that a listen asks for.
type topicRequest struct {
	signal
	open   opener  // of a URI; nil if nothing watches it
	warden *warden // of a URI; nil if everybody may hear of it
}

// errTooManyURIs is what a client is told that subscribes to more URIs than it may.
func (t *streams) errTooManyURIs() error {
	return Errorf("too many subscriptions: at most %d resources per connection", t.maxURIs)
}

// initialized begins the legacy session: from now on it is told of the lists in kinds, and of
// what it has subscribed to.
func (t *streams) initialized(rev protocol.Revision, kinds []signalKind) {
	s := &t.legacy
	var subs []*sub // in their topics before anybody else can mark them
	for _, kind := range kinds {
		u := newSub(s)
		if t.hub.join(u, signal{kind: kind}, topicID{}, nil) == nil { // a closed hub has no news
			subs = append(subs, u)
		}
	}
	t.out.mu.Lock()
	begins := !s.gone && s.held
	if begins {
		s.rev, s.lists = rev, subs
		s.releaseLocked()
	} else {
		for _, u := range subs {
			u.endLocked()
		}
	}
	t.out.mu.Unlock()
	if !begins {
		t.leave(subs)
	}
}

// subscribe gives uri its place in the legacy session. The caller waits for the sub's watcher and
// then calls accept or withdraw, once for each subscribe. Subscribing again to the same URI is no
// error and gives the same sub.
func (t *streams) subscribe(uri string, open opener, d *warden) (*sub, error) {
	id := t.hub.idOf(uri)
	t.out.mu.Lock()
	u, err := t.claimLocked(uri, id, d)
	t.out.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := t.hub.join(u, signal{oneResource, uri}, id, open); err != nil {
		t.withdraw(u)
		return nil, err
	}
	return u, nil
}

// claimLocked returns the sub of the legacy session for uri, made if need be, with one more claim.
func (t *streams) claimLocked(uri string, id topicID, d *warden) (*sub, error) {
	s := &t.legacy
	u := s.uris[uri]
	switch {
	case s.gone:
		return nil, errClosed
	case u == nil && t.uris >= t.maxURIs:
		return nil, t.errTooManyURIs()
	case u == nil:
		u = newSub(s)
		u.held, u.warden, u.uri, u.id = true, d, uri, id
		if s.uris == nil {
			s.uris = make(map[string]*sub)
		}
		s.uris[uri] = u
		t.uris++
	}
	u.claims++
	return u, nil
}

// accept queues answer, which tells the client that u is subscribed, and releases u. If the
// request is not live any more, it is withdrawn instead. live must not block.
func (t *streams) accept(u *sub, answer []byte, live func() bool) {
	t.out.mu.Lock()
	if !live() {
		t.out.mu.Unlock()
		t.withdraw(u)
		return
	}
	u.claims--
	if answer != nil {
		t.out.queueLocked(answer, nil)
	}
	u.releaseLocked()
	t.out.mu.Unlock()
	_ = t.out.flush()
}

// withdraw takes back one subscribe. The sub ends if no other one is confirmed or may still be.
func (t *streams) withdraw(u *sub) {
	t.out.mu.Lock()
	u.claims--
	ends := u.claims == 0 && u.held
	if ends {
		t.endURILocked(&t.legacy, u)
	}
	t.out.mu.Unlock()
	if ends {
		t.hub.leave(u)
	}
}

// endURILocked removes u from its stream. The caller lets it leave the hub afterwards.
func (t *streams) endURILocked(s *stream, u *sub) {
	u.endLocked()
	if s.uris[u.uri] == u {
		delete(s.uris, u.uri)
		t.uris--
	}
}

// unsubscribe ends the subscription of the legacy session to uri, if there is one. If the session has not subscribed by
// that spelling, all its subscriptions to what uri names end.
// It returns after the last update was written; the caller answers then.
func (t *streams) unsubscribe(uri string) {
	t.out.mu.Lock()
	left := t.unsubscribeLocked(t.legacy.uris[uri])
	others := len(t.legacy.uris) > 0
	t.out.mu.Unlock()
	if left == nil && others {
		id := t.hub.idOf(uri)
		t.out.mu.Lock()
		left = t.unsubscribeLocked(t.legacy.ofLocked(id)...)
		t.out.mu.Unlock()
	}
	t.leave(left)
}

// unsubscribeLocked ends subs of the legacy session, and returns those that are not nil.
func (t *streams) unsubscribeLocked(subs ...*sub) (left []*sub) {
	for _, u := range subs {
		if u != nil {
			t.endURILocked(&t.legacy, u)
			left = append(left, u)
		}
	}
	return left
}

// ofLocked returns the subs of s to what id names.
func (s *stream) ofLocked(id topicID) (subs []*sub) {
	for _, u := range s.uris {
		if u.id == id {
			subs = append(subs, u)
		}
	}
	return subs
}

// listen gives a listen with the given id its place. The id must not be that of an open listen.
// The caller waits for its watchers, refuses what cannot be watched, and then acknowledges.
//
// settle takes the right to answer the request once the server ends the listen.
func (t *streams) listen(id wire.ID, rev protocol.Revision, topics []topicRequest, settle func() bool) (*stream, error) {
	s := &stream{out: t.out, id: id, rev: rev, held: true, settle: settle}
	subs := make([]*sub, len(topics))
	for i, topic := range topics {
		u := newSub(s)
		subs[i] = u
		if topic.kind != oneResource {
			s.lists = append(s.lists, u)
			continue
		}
		if s.uris == nil {
			s.uris = make(map[string]*sub)
		}
		u.warden, u.uri, u.id = topic.warden, topic.uri, t.hub.idOf(topic.uri)
		s.uris[u.uri] = u
	}
	if err := t.enter(s); err != nil {
		return nil, err
	}
	for i, topic := range topics {
		if err := t.hub.join(subs[i], topic.signal, subs[i].id, topic.open); err != nil {
			t.drop(s)
			return nil, err
		}
	}
	return s, nil
}

// enter puts a listen into the table.
func (t *streams) enter(s *stream) error {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	key := idKey(s.id)
	switch {
	case t.listens[key] != nil:
		return Errorf("id %s belongs to an open listen", s.id)
	case len(t.listens) >= t.maxListens:
		return Errorf("too many listens: at most %d per connection", t.maxListens)
	case t.uris+len(s.uris) > t.maxURIs:
		return t.errTooManyURIs()
	case t.legacy.gone && !t.closing:
		return errClosed
	}
	if t.listens == nil {
		t.listens = make(map[wire.ID]*stream)
	}
	t.listens[key] = s
	t.uris += len(s.uris)
	return nil
}

// begin begins the watcher of uri without waiting for it.
func (t *streams) begin(s *stream, uri string) {
	if u := t.subOf(s, uri); u != nil {
		_, _ = t.hub.begin(u) // watched tells
	}
}

// watched waits until the watcher of uri runs or ctx ends, and returns why it does not run. A sub whose watcher
// fails is dropped from s.
func (t *streams) watched(ctx context.Context, s *stream, uri string) error {
	u := t.subOf(s, uri)
	if u == nil {
		return nil // the stream has ended
	}
	err := t.hub.ready(ctx, u)
	if err == nil {
		return nil
	}
	t.out.mu.Lock()
	t.endURILocked(s, u)
	t.out.mu.Unlock()
	t.hub.leave(u)
	return fmt.Errorf("watch %s: %w", uri, err)
}

// subOf returns the sub of s for uri; nil if it has ended.
func (t *streams) subOf(s *stream, uri string) *sub {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	return s.uris[uri]
}

// acknowledge queues ack as the first frame of s and releases s. If the server is ending, the end
// of s follows at once. Nothing happens if s is gone.
func (t *streams) acknowledge(s *stream, ack []byte) {
	var left []*sub
	t.out.mu.Lock()
	if !s.gone {
		t.out.queueLocked(ack, s)
		s.releaseLocked()
		if t.closing {
			left = t.endListenLocked(s)
		}
	}
	t.out.mu.Unlock()
	_ = t.out.flush()
	t.leave(left)
}

// cancel ends the listen with the given id without a word and reports whether there was one. When
// anything is written after cancel has returned, no frame of the listen follows.
func (t *streams) cancel(id wire.ID) bool {
	t.out.mu.Lock()
	s := t.listens[idKey(id)]
	t.out.mu.Unlock()
	if s != nil {
		t.drop(s)
	}
	return s != nil
}

// drop ends a listen without a word, if it has not ended.
func (t *streams) drop(s *stream) {
	t.out.mu.Lock()
	t.out.takeBackLocked(s)
	left := t.removeLocked(s)
	t.out.mu.Unlock()
	t.leave(left)
}

// removeLocked makes a listen gone and returns its subs. Its id may be in use again if it was gone
// already.
func (t *streams) removeLocked(s *stream) []*sub {
	if s.gone {
		return nil
	}
	delete(t.listens, idKey(s.id))
	t.uris -= len(s.uris)
	return s.endLocked()
}

// endListenLocked makes a listen gone, queues the frames that say so and returns its subs.
func (t *streams) endListenLocked(s *stream) []*sub {
	if s.settle() {
		for _, frame := range t.endFrames(s) {
			t.out.queueLocked(frame, nil)
		}
	}
	return t.removeLocked(s)
}

// close ends all streams. A graceful close tells the clients of listens, for those that are not
// acknowledged yet as soon as they are; otherwise nothing more is written.
func (t *streams) close(graceful bool) {
	var left []*sub
	t.out.mu.Lock()
	t.closing = graceful
	t.uris -= len(t.legacy.uris)
	left = t.legacy.endLocked()
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
	_ = t.out.flush()
	t.leave(left)
}

// always says that a request is live which nobody can cancel.
func always() bool { return true }

// leave takes subs out of the hub.
func (t *streams) leave(subs []*sub) {
	for _, u := range subs {
		t.hub.leave(u)
	}
}
