package taskrun

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// maxClaims bounds the claims of one turn of the loop, so that what cannot be run here does not keep it busy.
const maxClaims = 256

// maxServed limits how many principals a claim leaves out because they had the last tasks.
const maxServed = 256

// claimAll runs tasks that nobody runs, while there is room: the oldest task of each principal in turn.
func (e *Engine) claimAll() {
	for range maxClaims {
		full, room := e.full()
		switch {
		case !room:
			return
		case e.claimOne(task.Claim{Except: append(full, e.served...)}):
		case len(e.served) == 0:
			return
		default: // all principals have had a task: begin again
			e.served = nil
		}
		if len(e.served) >= maxServed {
			e.served = nil
		}
	}
}

// sweep claims tasks whose owners have died. It also does so for principals that have no room here, because a task that
// only has to be ended needs none. A task that cannot run here is given back at once. Tasks that wait keep their order.
func (e *Engine) sweep() {
	for range maxClaims {
		if _, room := e.full(); !room || !e.claimOne(task.Claim{Owned: true}) {
			break
		}
	}
}

// full returns the principals that have no room for another task. room reports whether other principals may have room.
func (e *Engine) full() (principals []string, room bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || !e.places.room("", 0) {
		return nil, false
	}
	for p := range e.places.of {
		if !e.places.room(p, 0) {
			principals = append(principals, p)
		}
	}
	return principals, true
}

// claimOne claims a task that matches c, and runs it if there is room. It returns false if there is no such task, or if
// the store fails.
func (e *Engine) claimOne(c task.Claim) bool {
	var h *task.Head
	err := e.call(e.ctx, func(ctx context.Context) (err error) {
		var latest uint64
		now := time.Now()
		c.Owner, c.Until = e.owner, task.Time(now.Add(leaseTime))
		c.Now, c.Still = task.Time(now), e.silence.still(now)
		h, latest, err = e.store.Claim(ctx, c)
		e.silence.note(time.Now(), latest)
		return err
	})
	if errors.Is(err, task.ErrNotFound) {
		return false
	}
	if err == nil {
		e.served = append(e.served, h.Principal)
		err = e.take(h)
	}
	if err != nil && !errors.Is(err, task.ErrChanged) && !errors.Is(err, task.ErrNotFound) {
		e.storeFailed(err)
		return false
	}
	return true
}

// take runs a task that was claimed. If it must not run again, take makes it fail; if it cannot run here, take gives it
// back.
func (e *Engine) take(h *task.Head) error {
	if h.Begun && (!h.Restart || h.Runs+1 >= maxInterrupted) {
		r := &task.Record{Head: *h}
		interrupt(r)
		if err := e.swap(e.ctx, &r.Head, &r.Body); err != nil {
			return err
		}
		e.counts.Ended[labels.TaskInterrupted].Add(1)
		e.changed(h.ID)
		return nil
	}
	var run *Run
	if e.Known(h.Tool) {
		run, _ = e.reserve(h, h.Size)
	}
	if run == nil {
		return deferHere(e, h)
	}
	r, err := e.Get(e.ctx, h.ID)
	switch {
	case err != nil:
	case r.Version != h.Version:
		err = task.ErrChanged
	case !grow(e, run, inputBytes(&r.Body)):
		e.release(run)
		return deferHere(e, h)
	default:
		err = beginHere(e, r)
	}
	if err != nil {
		e.release(run)
		return err
	}
	e.start(run, r)
	return nil
}

// deferHere leaves a claimed task to other processes, which may have room for it.
func deferHere(e *Engine, h *task.Head) error {
	h.Release(claimableFrom(e, h))
	if err := e.swap(e.ctx, h, nil); err != nil {
		return err
	}
	e.counts.Deferred.Add(1)
	return nil
}

// beginHere notes in the record that the handler of a claimed task begins in this process.
func beginHere(e *Engine, r *task.Record) error {
	again := r.Begun
	if again {
		r.Runs++
	}
	r.Begun = true
	err := e.swap(e.ctx, &r.Head, nil)
	if err == nil && again {
		e.counts.TakenOver.Add(1)
	}
	return err
}

// claimableFrom returns when other processes may claim a task that cannot run here. That is at once if the principal
// has no room here, because then this process does not claim the task. Otherwise it is later, so that this process does
// not claim the task again and again.
func claimableFrom(e *Engine, r *task.Head) time.Time {
	known := e.Known(r.Tool)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed { // this process claims nothing any more
		return task.Time(time.Now())
	}
	before := e.runs[r.ID]
	large := e.places.room(r.Principal, 0) // there is a place, but no room for the bytes of the task
	if !known || large || before != nil && !before.hasEnded() {
		return task.Time(time.Now().Add(claimEvery))
	}
	e.soon = true
	return task.Time(time.Now())
}

// silence finds owners that do not renew their leases, with the clock of this process alone. From time to time it notes
// the greatest version in the store. If the version of a record is not above one that was noted leaseTime ago, its
// owner is silent.
type silence struct {
	seen []sight // the oldest first
}

// sight is the greatest version in the store at a time.
type sight struct {
	at      time.Time
	version uint64
}

// sightEvery is the least time between two notes of [silence].
const sightEvery = claimEvery / 4

// note notes version, the greatest in the store at the time now; 0 means that it is not known.
func (s *silence) note(now time.Time, version uint64) {
	if version == 0 {
		return
	}
	if n := len(s.seen); n > 0 {
		switch last := s.seen[n-1]; {
		case version < last.version: // the store has lost what it had
			s.seen = nil
		case now.Sub(last.at) < sightEvery:
			return
		}
	}
	s.seen = append(s.seen, sight{now, version})
	for len(s.seen) > 1 && now.Sub(s.seen[1].at) >= leaseTime {
		s.seen = s.seen[1:]
	}
}

// still returns the greatest version that was noted at least leaseTime ago, at the time now; 0 if there is none.
func (s *silence) still(now time.Time) (version uint64) {
	for _, x := range s.seen {
		if now.Sub(x.at) >= leaseTime {
			version = x.version
		}
	}
	return version
}
