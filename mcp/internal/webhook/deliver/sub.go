package deliver

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
)

// sub is a subscription in a shard of this replica. The lock of the engine guards it.
type sub struct {
	window

	def   *event.Subscription // replaced as a whole, never changed
	host  string              // of the callback
	shard *shard
	name  *name
	known bool // the host looks for events that match it

	queued, reading bool
	gone            bool
	waits           *slots // in whose queue it is; nil for none
	due             time.Time
	timer           int // index in timers plus 1; 0 if it is not there
}

// load makes the sub of a subscription from the store.
func load(f event.Stored, sh *shard) *sub {
	s := &sub{
		def: f.Subscription, host: egress.Host(f.Subscription.URL), shard: sh,
		window: window{p: *f.Progress, saved: f.Progress.At, more: true},
	}
	s.to = s.p.At
	for _, p := range s.p.Pending {
		s.to.Seq = p.Seq
		s.entries = append(s.entries, &entry{Pending: p, at: s.to})
	}
	s.p.Pending = nil
	if s.p.Suspended != 0 && !s.suspended() { // refreshed while nobody delivered to it
		s.revive()
	}
	s.settle(s.def.State)
	return s
}

// progress returns the progress to save.
func (s *sub) progress() *event.Progress {
	p := s.p
	p.ID, p.Birth, p.Fence = s.def.ID, s.def.Birth, s.shard.beat
	for _, x := range s.entries {
		p.Pending = append(p.Pending, x.Pending)
	}
	if s.notice != nil {
		p.Notice = s.notice.Pending
	}
	return &p
}

// suspended reports whether nothing is delivered until the next refresh, because too many attempts have failed.
func (s *sub) suspended() bool { return s.p.Suspended != 0 && s.p.Suspended == s.def.Version }

// active reports whether the subscription gets anything at present.
func (s *sub) active(now time.Time) bool {
	return !s.gone && !s.shard.draining && !s.suspended() && !s.def.Expired(now) && s.def.State != event.Ended
}

// mayRead reports whether more events may be read: there is room for them, and no message has to be sent first.
func (s *sub) mayRead(most int) bool {
	first := s.notice != nil && s.notice.Tries == 0
	return s.def.State == event.Live && !s.reading && !first && s.room(most) > 0
}

// stir makes the next pump read for new events.
func (s *sub) stir() {
	s.more = true
	if !s.idle {
		return
	}
	s.idle, s.to = false, s.name.head
	s.name.busy[s] = struct{}{}
	s.advance()
}

// hasRead is called after a read. If the subscription has read all that there was, it becomes idle, and its name looks
// for new events in its place.
func (s *sub) hasRead() {
	if s.name.head == (event.Position{}) && s.known && !s.more {
		s.name.head = s.to
	}
	s.rest()
}

// rest makes the subscription idle if it has read as far as its name has looked, and reports whether it has.
func (s *sub) rest() bool {
	n := s.name
	if n.looking || !s.known || s.more || s.reading || s.gone || s.to != n.head {
		return false
	}
	s.idle = true
	delete(n.busy, s)
	return true
}
