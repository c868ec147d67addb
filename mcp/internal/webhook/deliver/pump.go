package deliver

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// read pumps the subscriptions of the queue, one after the other. It returns when the engine is closed, or when another
// goroutine has taken over because a read was slow.
func (e *Engine) read() {
	for {
		if s := e.queue.next(); s == nil || e.pump(s) {
			return
		}
	}
}

// pump starts what a subscription has to send, and reads more events for it if there is room. It reports whether
// another goroutine has taken over meanwhile.
func (e *Engine) pump(s *sub) (replaced bool) {
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.passLocked(s)
	if !e.activeLocked(s, now) || !e.startLocked(s, now) {
		return false
	}
	if !s.more || !s.mayRead(e.o.Window) {
		return false
	}
	if !e.slow.mayLocked(s.def.Principal) {
		e.queue.dueLocked(s, now.Add(time.Second))
		return false
	}
	room := s.room(e.o.Window)
	s.reading, s.more = true, false
	after := s.to
	def := s.def
	step := e.slow.begin(def.Principal)
	e.mu.Unlock()
	b, sure, err := e.source.read(def, after, room)
	known := s.known || err == nil && !b.More && e.source.watch(s, def)
	e.mu.Lock()
	if s.known = known; known && s.gone {
		e.run.host.Unwatch(s)
	}
	replaced = step.endLocked()
	s.reading = false
	switch {
	case s.gone:
	case !sure: // the subscription is queued when the program has answered
		e.source.rights.Await(def.Principal, s)
	case err != nil:
		s.more = true
		e.queue.dueLocked(s, now.Add(time.Second))
	case b.Ended != nil:
		e.mu.Unlock()
		e.end(s, b.Ended)
		e.mu.Lock()
	case after != s.to: // the position was changed meanwhile: what was read does not fit
		s.more = true
		e.queue.pushLocked(s)
	default:
		e.takeLocked(s, &b)
		s.hasRead()
	}
	return replaced
}

// activeLocked reports whether the subscription gets anything at present.
func (e *Engine) activeLocked(s *sub, now time.Time) bool {
	return !e.queue.closed && s.active(now)
}

// startLocked starts the attempts that are due. It returns false if there are not enough slots for all of them.
func (e *Engine) startLocked(s *sub, now time.Time) bool {
	var next time.Time
	for _, x := range s.open() {
		switch {
		case x.flying:
		case x.Next.After(now):
			if next.IsZero() || x.Next.Before(next) {
				next = x.Next
			}
		case !e.reserveLocked(s, now):
			return false
		default:
			e.flyLocked(s, x, nil)
		}
	}
	e.queue.dueLocked(s, next)
	return true
}

// takeLocked adds events that were read, and starts attempts for them.
func (e *Engine) takeLocked(s *sub, b *event.Batch) {
	if b.Truncated {
		e.gapLocked(s)
	}
	fresh := s.take(b)
	s.settle(s.def.State)
	now := time.Now()
	if b.Truncated {
		e.saver.dirtyLocked(s)
		e.queue.pushLocked(s)
		return
	}
	if !e.activeLocked(s, now) {
		return
	}
	for i, x := range fresh {
		if !e.reserveLocked(s, now) {
			return
		}
		e.flyLocked(s, x, &b.Events[i])
	}
	if s.more {
		e.queue.pushLocked(s)
	}
}

// flyLocked starts an attempt, whose slots are reserved. read is the event of the entry, if it was just read.
func (e *Engine) flyLocked(s *sub, x *entry, read *event.Occurrence) {
	x.flying = true
	if x == s.notice {
		s.again = false
	}
	s.shard.flying++
	f := &flight{e: e, s: s, x: x, def: s.def, read: read, notice: x == s.notice, at: s.p.At}
	e.attempts.Go(f.attempt)
}

// reserveLocked takes the slots for an attempt. If it returns false, the subscription waits, and is pumped again later.
func (e *Engine) reserveLocked(s *sub, now time.Time) bool {
	ok, again := e.budget.reserve(s, now)
	if !again.IsZero() {
		e.queue.dueLocked(s, again)
	}
	return ok
}

// passLocked pumps the subscriptions that wait for slots of s, if there is room.
func (e *Engine) passLocked(s *sub) {
	for _, next := range e.budget.pass(s) {
		e.queue.pushLocked(next)
	}
}

// end ends a subscription, and has its callback told why.
func (e *Engine) end(s *sub, why *event.Error) {
	e.mu.Lock()
	def := s.def.Clone()
	e.mu.Unlock()
	if def.State != event.Live {
		return
	}
	def.State, def.Why, def.Expires = event.Ending, why, time.Now().Add(time.Hour)
	if e.put(s, def) {
		e.mu.Lock()
		e.stats.Ended++
		e.mu.Unlock()
		e.run.host.Record(event.Record{
			Action: event.ActionEnd, Principal: def.Principal, Name: def.Name, Status: why.Word(),
			Denied: why.Kind == event.Forbidden || why.Kind == event.NotFound,
		})
	}
}

// put stores a changed subscription of this replica, and reports whether it has. If another change came first, or the
// store fails, s is pumped again.
func (e *Engine) put(s *sub, def *event.Subscription) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.run.life), patience)
	defer cancel()
	if err := e.o.Store.Put(ctx, def, nil, event.SubscriptionLimits{}); err != nil {
		if !errors.Is(err, event.ErrChanged) { // after ErrChanged the loader reads the newer version
			e.run.complain("the store of subscriptions fails", err)
		}
		e.mu.Lock()
		s.stir()
		e.queue.dueLocked(s, time.Now().Add(time.Second))
		e.mu.Unlock()
		signal(e.loader.changed)
		return false
	}
	e.Apply(event.Stored{Subscription: def})
	return true
}
