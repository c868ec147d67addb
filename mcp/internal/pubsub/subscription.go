package pubsub

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// neverDelivered is the time of the last update of a list that has had none. It is so long before the start of the hub
// that the first update need not wait for listGap.
const neverDelivered = -time.Hour

// Stream carries the updates of a client: it is the session of a connection, or one open listen. The last fields,
// beginning with held, are guarded by out.mu.
type Stream struct {
	of  *Streams
	out *Outbox
	id  string  // of the listen; "" for the session
	enc Encoder // set before held is cleared
	// revoke ends a subscription whose updates the client may not receive.
	revoke func(*Subscription)
	client string // see Limits.Client
	// settle is [Listen].Settle.
	settle func() bool

	absent     int // how many subscriptions are absent; guarded by Hub.mu
	nextAbsent int // the index in uris where absences looks next; guarded by absences.mu

	held  bool            // updates wait, because the listen is not acknowledged, or the session not initialized
	ended bool            // its subscriptions have ended too; never cleared
	ends  bool            // it ends as soon as it is acknowledged
	uris  []*Subscription // to resources, sorted by the URI as the client has spelled it; then to named topics
	lists []listed        // to lists
}

// listed is a subscription to a list.
type listed struct {
	*Subscription
	delivered time.Duration // when its last update was written
}

// Subscription is the subscription of one stream to one topic. A publication changes nothing but subscriptions. A
// client may have many thousands, so a Subscription must be small: fields that are the same for several are in the
// stream or the [Source].
//
// A subscription is dirty from a change until its update is taken to be written. While it is dirty, further changes do
// nothing. So there is at most one pending update for each stream and topic, and it is written after the last change.
type Subscription struct {
	stream *Stream
	uri    string  // as the client has spelled it; the name of a named topic; "" for a list
	source *Source // nil for a list, and for a topic that nothing watches and whose updates everybody may receive
	topic  *topic  // set by Hub.join, before it can be dirty; guarded by Hub.mu
	index  int32   // in topic.subscriptions, -1 when it has left; guarded by Hub.mu
	kind   Kind    // of the topic

	hubState hubState // guarded by Hub.mu
	queried  bool     // it is in absentees.soon; guarded by absences.mu

	// The rest is guarded by out.mu.

	state   streamState
	dirty   atomic.Bool   // written under out.mu
	pending int32         // requests to subscribe that are not answered yet
	due     time.Duration // in a due queue: when its update may be written
	prev    *Subscription // in the due queue
	next    *Subscription
}

// hubState has the flags of a subscription that the hub needs.
type hubState uint8

const (
	isWatched hubState = 1 << iota // it is counted as countWatched
	isAbsent                       // its resource did not exist, see absences; it waits for no watcher
)

// streamState has the flags of a subscription that the stream needs.
type streamState uint8

const (
	isHeld   streamState = 1 << iota // updates wait, because the request to subscribe is not answered yet
	isEnded                          // it or its stream has ended; never cleared
	isQueued                         // it is in a due queue
	isResync                         // it is in the due queue resyncs, and not dirty
)

// is reports whether u has at least one of the flags in states.
func (u *Subscription) is(states streamState) bool { return u.state&states != 0 }

// opener returns the function that watches the resource of u; nil for none.
func (u *Subscription) opener() Opener {
	if u.source == nil {
		return nil
	}
	return u.source.Open
}

// authorizer returns the authorizer for the updates of u; nil if everybody may receive them.
func (u *Subscription) authorizer() Authorizer {
	if u.source == nil {
		return nil
	}
	return u.source.Authorizer
}

// mark makes u dirty, because its topic may have changed, and returns true. If u is already dirty, it only returns
// false, at the cost of one atomic load. It allocates nothing.
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
	o.unscheduleLocked(u) // u may be in the queue resyncs
	u.dirty.Store(true)
	if !u.is(isHeld) && !u.stream.held {
		o.scheduleLocked(u)
	}
	return true
}

// HasEnded reports whether u has ended, for example because its client has unsubscribed or its stream has ended.
func (u *Subscription) HasEnded() bool {
	u.stream.out.mu.Lock()
	defer u.stream.out.mu.Unlock()
	return u.is(isEnded)
}

// releaseLocked ends the hold on u: updates of u can be delivered. If u is dirty, its update is scheduled.
func (u *Subscription) releaseLocked() {
	if !u.is(isHeld) || u.is(isEnded) {
		return
	}
	u.state &^= isHeld
	if u.dirty.Load() && !u.stream.held {
		u.stream.out.scheduleLocked(u)
	}
}

// endLocked ends u and removes it from its due queue. The caller must call Hub.leave afterwards.
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

// indexLocked returns the index of the subscription of s to t in s.uris. If there is none, found is false and i is the
// index at which to insert it.
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

// putLocked adds u to s.uris. s must not have a subscription with the same kind and spelling.
func (s *Stream) putLocked(u *Subscription) {
	i, _ := s.indexLocked(u.name())
	s.uris = slices.Insert(s.uris, i, u)
}

// deliveredLocked returns a pointer to the time of the last update of u, a subscription to a list. The pointer is to a
// new variable if u is not in s.lists.
func (s *Stream) deliveredLocked(u *Subscription) *time.Duration {
	for i := range s.lists {
		if s.lists[i].Subscription == u {
			return &s.lists[i].delivered
		}
	}
	return new(neverDelivered)
}

// releaseLocked ends the hold on s: updates of s can be delivered. The updates of dirty subscriptions are scheduled.
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

// endLocked ends s and all its subscriptions, and returns them. The caller must call Hub.leave for each afterwards.
func (s *Stream) endLocked() []*Subscription {
	s.ended = true
	all := s.allLocked()
	for _, u := range all {
		u.endLocked()
	}
	s.uris, s.lists = nil, nil
	return all
}

// appendUpdate appends the update of u to b, without its rest. rest is the end of the update, or nil if frame is the
// whole update.
func (u *Subscription) appendUpdate(b []byte) (frame []byte, rest *Rest) {
	if u.kind.isNamed() {
		return u.source.Append(b, u.uri)
	}
	return u.stream.enc.AppendUpdate(b, u.name()), nil
}
