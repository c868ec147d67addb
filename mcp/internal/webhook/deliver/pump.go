package deliver

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// pump starts what a subscription has to send, and reads more of it if there is room. It reports whether another
// goroutine has stepped in meanwhile.
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
	if e.slow[s.def.Principal] >= slowEach {
		e.dueLocked(s, now.Add(time.Second))
		return false
	}
	room := s.room(e.o.Window)
	s.reading, s.more = true, false
	after := s.to
	def := s.def
	step := stepIn(e, def.Principal)
	e.mu.Unlock()
	b, sure, err := readSure(e, def, after, room)
	known := s.known || err == nil && !b.More && e.host.Watch(readerOf(def), s)
	e.mu.Lock()
	if s.known = known; known && s.gone {
		e.host.Unwatch(s)
	}
	replaced = step.endLocked()
	s.reading = false
	switch {
	case s.gone:
	case !sure: // it is pushed when the program has answered
		e.rights.Await(def.Principal, s)
	case err != nil:
		s.more = true
		e.dueLocked(s, now.Add(time.Second))
	case b.Ended != nil:
		e.mu.Unlock()
		e.end(s, b.Ended)
		e.mu.Lock()
	case after != s.to: // begun anew meanwhile
		s.more = true
		e.pushLocked(s)
	default:
		e.takeLocked(s, &b)
		readLocked(s)
	}
	return replaced
}

// step has a goroutine step in for one whose read takes long.
type step struct {
	e         *Engine
	principal string
	timer     *time.Timer
	// Guarded by e.mu: whether the read has ended, and whether there is another goroutine.
	ended, done bool
}

// stepIn begins a read for a principal.
func stepIn(e *Engine, principal string) *step {
	x := &step{e: e, principal: principal}
	x.timer = time.AfterFunc(soon, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if x.ended || e.closed || e.slowly == mostSlow {
			return
		}
		x.done = true
		e.slow[principal]++
		e.slowly++
		e.loops.Go(e.read)
	})
	return x
}

// endLocked ends a read, and reports whether another goroutine has stepped in.
func (x *step) endLocked() bool {
	x.timer.Stop()
	if x.ended = true; !x.done {
		return false
	}
	x.e.slowly--
	if x.e.slow[x.principal]--; x.e.slow[x.principal] == 0 {
		delete(x.e.slow, x.principal)
	}
	return true
}

// readSure reads for a subscription. What is found is only sure with the rights that its principal has now. If it is
// not, they have to be asked for.
func readSure(e *Engine, def *event.Subscription, after event.Position, most int) (
	b event.Batch, sure bool, err error) {
	r := readerOf(def)
	r.Caller, sure = e.rights.Known(def.Caller)
	b, err = readFor(e, r, after, most)
	return b, sure || err != nil || len(b.Events) == 0 && b.Ended == nil, err
}

// readFor reads for a subscription. Errors are logged.
func readFor(e *Engine, r *event.Reader, after event.Position, most int) (event.Batch, error) {
	ctx, cancel := context.WithTimeout(e.life, patience)
	defer cancel()
	b, err := e.host.Read(ctx, r, after, most)
	if err != nil {
		e.complain("a webhook cannot read events", err)
	}
	return b, err
}

func readerOf(s *event.Subscription) *event.Reader {
	return &event.Reader{ID: s.ID, Name: s.Name, Arguments: s.Arguments, Caller: s.Caller, Schema: s.Schema}
}

// activeLocked reports whether anything is sent for a subscription.
func (e *Engine) activeLocked(s *sub, now time.Time) bool {
	return !s.gone && !e.closed && !s.shard.draining && !s.suspended() && !s.def.Expired(now) && s.def.State != event.Ended
}

// startLocked starts what is due. It is false if there is no room for all of it.
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
	e.dueLocked(s, next)
	return true
}

// takeLocked takes what was read, and starts it.
func (e *Engine) takeLocked(s *sub, b *event.Batch) {
	if b.Truncated {
		e.gapLocked(s)
	}
	fresh := s.take(b)
	s.settle()
	now := time.Now()
	if b.Truncated {
		e.dirtyLocked(s)
		e.pushLocked(s)
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
		e.pushLocked(s)
	}
}

// flyLocked starts an attempt, for which slots are reserved. What was read for it may be nil.
func (e *Engine) flyLocked(s *sub, x *entry, read *event.Occurrence) {
	x.flying = true
	if x == s.notice {
		s.again = false
	}
	s.shard.flying++
	f := &flight{e: e, s: s, x: x, def: s.def, read: read, notice: x == s.notice, at: s.p.At}
	e.attempts.Go(f.attempt)
}

// reserveLocked takes what an attempt needs. It is false if the subscription has to wait, and is pumped again.
func (e *Engine) reserveLocked(s *sub, now time.Time) bool {
	ok, again := e.budget.reserve(s, now)
	if !again.IsZero() {
		e.dueLocked(s, again)
	}
	return ok
}

// passLocked has those pumped that wait for what s needs, if there is room.
func (e *Engine) passLocked(s *sub) {
	for _, next := range e.budget.pass(s) {
		e.pushLocked(next)
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
		e.host.Record(event.Record{
			Action: event.ActionEnd, Principal: def.Principal, Name: def.Name, Status: why.Word(),
			Denied: why.Kind == event.Forbidden || why.Kind == event.NotFound,
		})
	}
}

// put changes a subscription of this replica. If it has changed meanwhile, or the store fails, it is pumped again.
func (e *Engine) put(s *sub, def *event.Subscription) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), patience)
	defer cancel()
	if err := e.store.Put(ctx, def, nil, event.SubscriptionLimits{}); err != nil {
		if !errors.Is(err, event.ErrChanged) { // then the one that is pumped is another one
			e.complain("the store of subscriptions fails", err)
		}
		e.mu.Lock()
		s.stir()
		e.dueLocked(s, time.Now().Add(time.Second))
		e.mu.Unlock()
		signal(e.poller)
		return false
	}
	e.Apply(event.Stored{Subscription: def})
	return true
}
