package pubsub

import (
	"sync/atomic"
	"time"
)

// Stream is what a client receives updates on: the session of a connection, or one open listen. The fields from held on
// are guarded by out.mu.
type Stream struct {
	of  *Streams
	out *Outbox
	id  string  // of the listen; "" for the session
	enc Encoder // set before held is cleared
	// revoke ends a subscription whose updates the client may not receive.
	revoke func(*Subscription)
	client string // see Limits.Client
	// settle takes the right to answer the listen; it must not block.
	settle func() bool

	held  bool                     // changes are remembered but not delivered: no acknowledgement, or not initialized
	ended bool                     // as have its subscriptions; never cleared
	ends  bool                     // it ends as soon as it is acknowledged
	uris  map[string]*Subscription // to resources, by the URI as the client has spelled it
	lists []*Subscription          // to lists
}

// Subscription is the interest of one stream in one topic. It is the only thing that publishing touches.
//
// A subscription is dirty from a change until its update is taken to be written. While it is dirty, further changes
// find nothing to do, so that there is at most one update to come per stream and topic, and it leaves after the last of
// them.
type Subscription struct {
	stream *Stream
	uri    string      // as the client has spelled it; "" for a list
	key    key         // of uri
	auth   Authorizer  // nil if everybody may receive the updates; set before it joins
	topic  *topic      // set once, when it joins, which is before it is ever dirty; guarded by Hub.mu
	open   Opener      // of topic, if something is to watch it; set with topic
	index  int         // in topic.subscriptions, -1 when it has left; guarded by Hub.mu
	dirty  atomic.Bool // written under out.mu

	watched bool // counts as countWatched; guarded by Hub.mu
	absent  bool // is one of Hub.absences, and not watched; guarded by Hub.mu

	// The rest is guarded by out.mu.

	held      bool          // changes are remembered but not delivered: no answer yet
	ended     bool          // it or its stream has ended; never cleared
	pending   int           // requests to subscribe that are not answered yet
	due       time.Duration // in a due queue: when its update may be written
	delivered time.Duration // when its last update was written
	queued    bool          // is in a due queue
	resyncs   bool          // that is the one of resyncs; it is not dirty then
	prev      *Subscription // in the due queue
	next      *Subscription
}

// neverDelivered is before the start of the hub, by more than the gap between the updates of a list.
const neverDelivered = -time.Hour

// newSubscription returns a subscription of s that is in no topic yet.
func newSubscription(s *Stream) *Subscription {
	return &Subscription{stream: s, delivered: neverDelivered}
}

// mark notes that the topic of u may have changed. It allocates nothing; if u is dirty already it costs one load, and
// reports false.
func (u *Subscription) mark() bool {
	if u.dirty.Load() {
		return false
	}
	o := u.stream.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if u.dirty.Load() {
		return false
	}
	if u.ended {
		return true
	}
	o.unscheduleLocked(u) // it may have waited for a resync
	u.dirty.Store(true)
	if !u.held && !u.stream.held {
		o.scheduleLocked(u)
	}
	return true
}

// HasEnded reports whether u has ended: its client has unsubscribed, or its stream is over.
func (u *Subscription) HasEnded() bool {
	u.stream.out.mu.Lock()
	defer u.stream.out.mu.Unlock()
	return u.ended
}

// releaseLocked lets updates of u be delivered; one that came meanwhile is scheduled.
func (u *Subscription) releaseLocked() {
	if !u.held || u.ended {
		return
	}
	u.held = false
	if u.dirty.Load() && !u.stream.held {
		u.stream.out.scheduleLocked(u)
	}
}

// endLocked ends u and takes it off its due queue. The caller lets it leave the hub afterwards.
func (u *Subscription) endLocked() {
	u.ended = true
	u.stream.out.unscheduleLocked(u)
}

// allLocked returns the subscriptions of s.
func (s *Stream) allLocked() []*Subscription {
	all := make([]*Subscription, 0, len(s.lists)+len(s.uris))
	all = append(all, s.lists...)
	for _, u := range s.uris {
		all = append(all, u)
	}
	return all
}

// withKeyLocked returns the subscriptions of s to the resource of k.
func (s *Stream) withKeyLocked(k key) (subs []*Subscription) {
	for _, u := range s.uris {
		if u.key == k {
			subs = append(subs, u)
		}
	}
	return subs
}

// putLocked adds a subscription to a resource.
func (s *Stream) putLocked(u *Subscription) {
	if s.uris == nil {
		s.uris = make(map[string]*Subscription)
	}
	s.uris[u.uri] = u
}

// releaseLocked lets updates of s be delivered; those that came meanwhile are scheduled.
func (s *Stream) releaseLocked() {
	if !s.held || s.ended {
		return
	}
	s.held = false
	for _, u := range s.allLocked() {
		if u.dirty.Load() && !u.held && !u.ended {
			s.out.scheduleLocked(u)
		}
	}
}

// endLocked ends s and returns its subscriptions, which the caller lets leave the hub afterwards.
func (s *Stream) endLocked() []*Subscription {
	s.ended = true
	all := s.allLocked()
	for _, u := range all {
		u.endLocked()
	}
	s.uris, s.lists = nil, nil
	return all
}

// appendUpdate appends the update of u.
func (u *Subscription) appendUpdate(b []byte) []byte {
	return u.stream.enc.AppendUpdate(b, Topic{Kind: u.topic.Kind, URI: u.uri})
}
