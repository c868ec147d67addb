package pubsub

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// neverDelivered is before the start of the hub, by more than the gap between the updates of a list.
const neverDelivered = -time.Hour

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

	absent     int // subscriptions that are absent; guarded by Hub.mu
	nextAbsent int // the index in uris from which absences go on looking; guarded by absences.mu

	held  bool            // changes are remembered but not delivered: no acknowledgement, or not initialized
	ended bool            // as have its subscriptions; never cleared
	ends  bool            // it ends as soon as it is acknowledged
	uris  []*Subscription // to resources, sorted by the URI as the client has spelled it, and then to what has a name
	lists []listed        // to lists
}

// listed is a subscription to a list.
type listed struct {
	*Subscription
	delivered time.Duration // when its last update was written
}

// Subscription is the interest of one stream in one topic. It is the only thing that publishing touches. A client may
// have many thousands, so its size matters: what several have in common is in their stream or their [Source].
//
// A subscription is dirty from a change until its update is taken to be written. While it is dirty, further changes do
// nothing. So there is at most one pending update for each stream and topic, and it is written after the last change.
type Subscription struct {
	stream *Stream
	uri    string  // as the client has spelled it, or the name; "" for a list
	source *Source // nil for a list, and if nothing watches it and everybody may receive its updates
	topic  *topic  // set when it joins, which is before it is ever dirty; guarded by Hub.mu
	index  int32   // in topic.subscriptions, -1 when it has left; guarded by Hub.mu
	kind   Kind    // of its topic

	hubState hubState // guarded by Hub.mu
	queried  bool     // is in absentees.soon; guarded by absences.mu

	// The rest is guarded by out.mu.

	state   streamState
	dirty   atomic.Bool   // written under out.mu
	pending int32         // requests to subscribe that are not answered yet
	due     time.Duration // in a due queue: when its update may be written
	prev    *Subscription // in the due queue
	next    *Subscription
}

// hubState is what a hub knows of a subscription.
type hubState uint8

const (
	isWatched hubState = 1 << iota // it counts as countWatched
	isAbsent                       // it is one of Hub.absences, and not watched
)

// streamState is what the stream of a subscription knows of it.
type streamState uint8

const (
	isHeld   streamState = 1 << iota // changes are remembered but not delivered: no answer yet
	isEnded                          // it or its stream has ended; never cleared
	isQueued                         // it is in a due queue
	isResync                         // it is in the due queue resyncs, and not dirty
)

// is reports whether u is in one of the states.
func (u *Subscription) is(states streamState) bool { return u.state&states != 0 }

// opener returns what is to watch the resource of u; nil if nothing is.
func (u *Subscription) opener() Opener {
	if u.source == nil {
		return nil
	}
	return u.source.Open
}

// authorizer returns what decides about the updates of u; nil if everybody may receive them.
func (u *Subscription) authorizer() Authorizer {
	if u.source == nil {
		return nil
	}
	return u.source.Authorizer
}

// mark notes that the topic of u may have changed. It allocates nothing. If u is dirty already, it costs one load and
// returns false.
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
	if u.is(isEnded) || (u.is(isHeld) || u.stream.held) && failpoint.On("hub-held-mark-dropped") {
		return true
	}
	o.unscheduleLocked(u) // it may have waited for a resync
	u.dirty.Store(true)
	if !u.is(isHeld) && !u.stream.held {
		o.scheduleLocked(u)
	}
	return true
}

// HasEnded reports whether u has ended: its client has unsubscribed, or its stream is over.
func (u *Subscription) HasEnded() bool {
	u.stream.out.mu.Lock()
	defer u.stream.out.mu.Unlock()
	return u.is(isEnded)
}

// releaseLocked lets updates of u be delivered; one that came meanwhile is scheduled.
func (u *Subscription) releaseLocked() {
	if !u.is(isHeld) || u.is(isEnded) {
		return
	}
	u.state &^= isHeld
	if u.dirty.Load() && !u.stream.held {
		u.stream.out.scheduleLocked(u)
	}
}

// endLocked ends u and takes it off its due queue. The caller lets it leave the hub afterwards.
func (u *Subscription) endLocked() {
	u.state |= isEnded
	u.stream.out.unscheduleLocked(u)
}

// allLocked returns the subscriptions of s.
func (s *Stream) allLocked() []*Subscription {
	all := make([]*Subscription, 0, len(s.lists)+len(s.uris))
	for _, l := range s.lists {
		all = append(all, l.Subscription)
	}
	return append(all, s.uris...)
}

// name returns the topic of u as the client has spelled it.
func (u *Subscription) name() Topic { return Topic{Kind: u.kind, URI: u.uri} }

// indexLocked returns the index of the subscription of s to t, or where it belongs.
func (s *Stream) indexLocked(t Topic) (i int, found bool) {
	return slices.BinarySearchFunc(s.uris, t, func(u *Subscription, t Topic) int {
		if u.kind != t.Kind {
			return int(u.kind) - int(t.Kind)
		}
		return strings.Compare(u.uri, t.URI)
	})
}

// findLocked returns the subscription of s to t; nil if there is none.
func (s *Stream) findLocked(t Topic) *Subscription {
	if i, found := s.indexLocked(t); found {
		return s.uris[i]
	}
	return nil
}

// putLocked adds a subscription to a topic to which s is not subscribed by that spelling.
func (s *Stream) putLocked(u *Subscription) {
	i, _ := s.indexLocked(u.name())
	s.uris = slices.Insert(s.uris, i, u)
}

// deliveredLocked returns a pointer to the time of the last update of u, which is a subscription to a list.
func (s *Stream) deliveredLocked(u *Subscription) *time.Duration {
	for i := range s.lists {
		if s.lists[i].Subscription == u {
			return &s.lists[i].delivered
		}
	}
	return new(neverDelivered)
}

// releaseLocked lets updates of s be delivered; those that came meanwhile are scheduled.
func (s *Stream) releaseLocked() {
	if !s.held || s.ended {
		return
	}
	s.held = false
	for _, u := range s.allLocked() {
		if u.dirty.Load() && !u.is(isHeld|isEnded) {
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

// appendUpdate appends the update of u up to its rest, which is nil if the update has none.
func (u *Subscription) appendUpdate(b []byte) (frame []byte, rest *Rest) {
	if u.kind.isNamed() {
		return u.source.Append(b, u.uri)
	}
	return u.stream.enc.AppendUpdate(b, u.name()), nil
}
