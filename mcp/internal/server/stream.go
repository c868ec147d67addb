package server

import (
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// stream is what a client hears updates on: the legacy session of a conn, or one open
// subscriptions/listen request. The fields from held on are guarded by out.mu.
type stream struct {
	out *outbox
	id  wire.ID           // of the listen, verbatim; zero for the legacy session
	rev protocol.Revision // set before held is cleared
	// settle takes the right to answer the listen; it must not block.
	settle func() bool

	held  bool            // changes are remembered but not told: no ack, or not initialized
	gone  bool            // it has ended, as have its subs; never cleared
	uris  map[string]*sub // what it asked for, by the URI as the client has spelled it
	lists []*sub          // what it asked for, by kind of list
}

// sub is the interest of one stream in one topic. It is the only thing that a signal touches.
//
// A sub is dirty from a signal until its notification is taken to be written. While it is dirty
// further signals find nothing to do, so that there is at most one notification to come per
// stream and topic, and it leaves after the last of them.
type sub struct {
	stream *stream
	uri    string      // as the client has spelled it; "" for a list
	id     topicID     // of uri
	topic  *topic      // set once, when it joins, which is before it is ever dirty; under hub.mu
	open   opener      // of topic, if something is to watch it; set with topic
	warden *warden     // nil if everybody may hear of the topic; set with topic
	at     int         // place in topic.subs, -1 when it has left; guarded by hub.mu
	dirty  atomic.Bool // written under out.mu

	// The rest is guarded by out.mu.

	held   bool          // changes are remembered but not told: no answer yet
	gone   bool          // it or its stream has ended; never cleared
	claims int           // requests to subscribe that are not answered yet
	due    time.Duration // on an agenda: when it may be told
	told   time.Duration // when it was last told
	queued bool          // is on an agenda
	prev   *sub          // on the agenda
	next   *sub
}

// newSub returns a sub of s that is in no topic yet.
func newSub(s *stream) *sub { return &sub{stream: s, told: -listGap} }

// mark notes that the topic of u may have changed. It allocates nothing; if u is dirty already it
// costs one load.
func (u *sub) mark() {
	if u.dirty.Load() {
		return
	}
	o := u.stream.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if u.dirty.Load() || u.gone {
		return
	}
	u.dirty.Store(true)
	if !u.held && !u.stream.held {
		o.scheduleLocked(u)
	}
}

// isGone reports whether u has ended.
func (u *sub) isGone() bool {
	u.stream.out.mu.Lock()
	defer u.stream.out.mu.Unlock()
	return u.gone
}

// releaseLocked lets u be told of changes; those that came meanwhile are scheduled.
func (u *sub) releaseLocked() {
	if !u.held || u.gone {
		return
	}
	u.held = false
	if u.dirty.Load() && !u.stream.held {
		u.stream.out.scheduleLocked(u)
	}
}

// endLocked makes u gone and takes it off the agenda. The caller lets it leave the hub afterwards.
func (u *sub) endLocked() {
	u.gone = true
	if u.queued {
		u.stream.out.agendaOf(u).remove(u)
	}
}

// subsLocked returns all subs of s.
func (s *stream) subsLocked() []*sub {
	all := make([]*sub, 0, len(s.lists)+len(s.uris))
	all = append(all, s.lists...)
	for _, u := range s.uris {
		all = append(all, u)
	}
	return all
}

// releaseLocked lets s be told of changes; those that came meanwhile are scheduled.
func (s *stream) releaseLocked() {
	if !s.held || s.gone {
		return
	}
	s.held = false
	for _, u := range s.subsLocked() {
		if u.dirty.Load() && !u.held && !u.gone {
			s.out.scheduleLocked(u)
		}
	}
}

// endLocked makes s gone and returns its subs, which the caller lets leave the hub afterwards.
func (s *stream) endLocked() []*sub {
	s.gone = true
	all := s.subsLocked()
	for _, u := range all {
		u.endLocked()
	}
	s.uris, s.lists = nil, nil
	return all
}

// appendFrame appends the notification that u's topic may have changed.
func (u *sub) appendFrame(b []byte) []byte {
	s, t := u.stream, u.topic
	b = wire.AppendNotification(b, signalMethods[t.kind])
	if t.kind == oneResource {
		p := protocol.ResourceUpdatedNotificationParams{URI: u.uri, Meta: s.meta()}
		b = p.AppendJSON(b, s.rev)
	} else {
		p := protocol.NotificationParams{Meta: s.meta()}
		b = p.AppendJSON(b, s.rev)
	}
	return append(b, "}\n"...)
}

// meta is the _meta of every notification of s: a listen is named, the legacy session is not.
func (s *stream) meta() *protocol.NotificationMetaObject {
	if s.id.IsZero() {
		return nil
	}
	return &protocol.NotificationMetaObject{SubscriptionID: s.id}
}
