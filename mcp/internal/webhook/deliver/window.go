package deliver

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
)

const (
	// maxSpan is how many entries a window has at most: behind one that is tried in vain the others go on.
	maxSpan = 128
	// period is half the time that the health of a subscription looks back.
	period = 30 * time.Minute
	// A subscription is suspended when more than tolerated percent of at least enough attempts have failed.
	enough, tolerated = 100, 95
)

// sub is a subscription of a shard of this replica. The lock of the engine guards it.
type sub struct {
	def    *event.Subscription // replaced as a whole, never changed
	host   string              // of the callback
	shard  *shard
	name   *name
	p      event.Progress // without Pending, which window has
	window []*entry       // behind p.At, in order
	notice *entry         // a message about the subscription that is to be sent
	again  bool           // more was lost since notice flies
	to     event.Position // what was read for the window
	more   bool           // there may be something behind to
	idle   bool           // it has read all that its name has, and reads when there is a match; to is that of the name
	known  bool           // to the host, which looks for matches

	unsaved int            // entries that are done since the last progress that was saved
	saved   event.Position // watermark of that

	queued, reading bool
	gone            bool
	waits           *slots // in whose queue it is
	due             time.Time
	timer           int // index in timers, and 1; 0 for none
}

// entry is an event, or a notice, that is to be delivered.
type entry struct {
	event.Pending

	at     event.Position
	flying bool
	gap    bool   // of a notice: tells of lost events, and not of the end
	id     string // of a notice that was sent
}

// load returns the subscription as the store has it.
func load(s event.Stored, sh *shard) *sub {
	out := &sub{
		def: s.Subscription, host: egress.Host(s.Subscription.URL), shard: sh, p: *s.Progress, saved: s.Progress.At,
		more: true,
	}
	out.to = out.p.At
	for _, p := range out.p.Pending {
		out.to.Seq = p.Seq
		out.window = append(out.window, &entry{Pending: p, at: out.to})
	}
	out.p.Pending = nil
	if out.p.Suspended != 0 && !out.suspended() { // refreshed while nobody delivered to it
		out.revive()
	}
	out.settle()
	return out
}

// progress returns what is to be saved.
func (s *sub) progress() *event.Progress {
	p := s.p
	p.ID, p.Birth, p.Fence = s.def.ID, s.def.Birth, s.shard.beat
	for _, x := range s.window {
		p.Pending = append(p.Pending, x.Pending)
	}
	if s.notice != nil {
		p.Notice = s.notice.Pending
	}
	return &p
}

// suspended reports whether nothing is delivered because too much has failed.
func (s *sub) suspended() bool { return s.p.Suspended != 0 && s.p.Suspended == s.def.Version }

// room is how many further events may be read.
func (s *sub) room(window int) int {
	open := s.unsaved
	for _, x := range s.window {
		if !x.Done {
			open++
		}
	}
	return min(window-open, maxSpan-len(s.window))
}

// mayRead reports whether there is room for what may be read, and nothing has to be sent before.
func (s *sub) mayRead(window int) bool {
	first := s.notice != nil && s.notice.Tries == 0
	return s.def.State == event.Live && !s.reading && !first && s.room(window) > 0
}

// take adds what was read to the window, and returns the new entries.
func (s *sub) take(b *event.Batch) (fresh []*entry) {
	if b.Truncated && b.After.Epoch != s.to.Epoch && s.to.Epoch != "" {
		s.window = nil // cannot be read any more
		s.p.At = event.Position{Epoch: b.After.Epoch}
	}
	if b.Truncated {
		s.to = firstOf(b) // the watermark, if nothing is open
		s.lose(s.to.Seq)
	}
	for i := range b.Events {
		at := b.Events[i].At
		x := &entry{Pending: event.Pending{Seq: at.Seq}, at: at}
		s.window, fresh = append(s.window, x), append(fresh, x)
	}
	s.to, s.more = b.After, s.more || b.More
	s.advance()
	return fresh
}

// firstOf returns the position before the first event that was read.
func firstOf(b *event.Batch) event.Position {
	if len(b.Events) == 0 {
		return b.After
	}
	at := b.Events[0].At
	at.Seq--
	return at
}

// lose finishes what the log has lost: entries up to one.
func (s *sub) lose(last uint64) {
	for _, x := range s.window {
		if x.Seq <= last && !x.Done {
			x.Done = true
			s.unsaved++
		}
	}
	s.advance()
}

// advance moves the watermark over what is done.
func (s *sub) advance() {
	n := 0
	for n < len(s.window) && s.window[n].Done {
		s.p.At = s.window[n].at
		n++
	}
	s.window = append([]*entry(nil), s.window[n:]...)
	if len(s.window) == 0 && !s.idle {
		s.p.At = s.to
	}
}

// stir has the subscription read when it is pumped.
func (s *sub) stir() {
	s.more = true
	if !s.idle {
		return
	}
	s.idle, s.to = false, s.name.head
	s.name.busy[s] = struct{}{}
	s.advance()
}

// rest leaves it to the name to look for more, if the subscription has read as much. It reports whether that is so.
func (s *sub) rest() bool {
	n := s.name
	if n.looking || !s.known || s.more || s.reading || s.gone || s.to != n.head {
		return false
	}
	s.idle = true
	delete(n.busy, s)
	return true
}

// settle makes the notice that the state of the subscription asks for.
func (s *sub) settle() {
	kept := event.Pending{}
	switch {
	case s.def.State == event.Ending:
		s.window = nil // nobody may have it any more
		if s.notice == nil || s.notice.gap {
			if s.notice == nil && !s.p.Gap {
				kept = s.p.Notice
			}
			s.notice, s.p.Gap = &entry{Pending: kept}, false
		}
	case s.def.State == event.Live && s.p.Gap && s.notice == nil:
		s.notice = &entry{Pending: s.p.Notice, gap: true}
	}
}

// open returns what is not done: a notice first, and alone before its first attempt has ended.
func (s *sub) open() []*entry {
	var out []*entry
	if s.notice != nil && !s.notice.Done {
		out = append(out, s.notice)
		if s.notice.Tries == 0 {
			return out
		}
	}
	for _, x := range s.window {
		if !x.Done {
			out = append(out, x)
		}
	}
	return out
}

// finish takes an entry as accepted or abandoned.
func (s *sub) finish(x *entry) {
	if x.Done {
		return
	}
	x.Done = true
	if x == s.notice {
		s.notice, s.p.Notice = nil, event.Pending{}
		if x.gap {
			s.p.Gap, s.again = s.again, false
		}
		return
	}
	s.unsaved++
	s.advance()
}

// count counts an attempt, and reports whether the subscription has to be suspended.
func (s *sub) count(now time.Time, word string) (suspend bool) {
	if now.Sub(s.p.Period) >= period {
		if now.Sub(s.p.Period) >= 2*period {
			s.p.Recent[0] = event.Tally{}
		}
		s.p.Recent[1], s.p.Recent[0], s.p.Period = s.p.Recent[0], event.Tally{}, now
	}
	s.p.Recent[0].Attempts++
	if word == "" {
		s.p.LastDelivery, s.p.FailedSince, s.p.LastError = now, time.Time{}, ""
		return false
	}
	s.p.Recent[0].Failures++
	s.p.LastError = word
	if s.p.FailedSince.IsZero() {
		s.p.FailedSince = now
	}
	attempts := s.p.Recent[0].Attempts + s.p.Recent[1].Attempts
	failures := s.p.Recent[0].Failures + s.p.Recent[1].Failures
	return attempts >= enough && failures*100 > attempts*tolerated
}

// revive makes a subscription that was suspended as good as new.
func (s *sub) revive() {
	s.p.Suspended, s.p.Recent, s.p.FailedSince = 0, [2]event.Tally{}, time.Time{}
	for _, x := range s.window {
		x.Tries, x.Next = 0, time.Time{}
	}
	if s.notice != nil {
		s.notice.Tries, s.notice.Next = 0, time.Time{}
	}
}
