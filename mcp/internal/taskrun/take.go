package taskrun

import (
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// maxClaims bounds the claims of one turn of the loop, so that what cannot be run here does not keep it busy.
const maxClaims = 256

// maxServed limits how many principals a claim leaves out because they had the last tasks.
const maxServed = 256

// claimer claims tasks that nobody runs. Only the loop of its engine uses it.
type claimer struct {
	e       *Engine
	silence silence
	soon    bool     // a task was given back that others can claim at once
	served  []string // the principals of the tasks that were claimed last
}

// claimAll runs tasks that nobody runs, while there is room: the oldest task of each principal in turn.
func (c *claimer) claimAll() {
	for range maxClaims {
		full, room := c.e.full()
		switch {
		case !room:
			return
		case c.claimOne(task.Claim{Except: append(full, c.served...)}):
		case len(c.served) == 0:
			return
		default: // all principals have had a task: begin again
			c.served = nil
		}
		if len(c.served) >= maxServed {
			c.served = nil
		}
	}
}

// sweep claims tasks whose owners have died. It also does so for principals that have no room here, because a task that
// only has to be ended needs none. A task that cannot run here is given back at once. Tasks that wait keep their order.
func (c *claimer) sweep() {
	for range maxClaims {
		if _, room := c.e.full(); !room || !c.claimOne(task.Claim{Owned: true}) {
			break
		}
	}
}

// claimOne claims a task that matches which, and runs it if there is room. It returns false if there is no such task,
// or if the store fails.
func (c *claimer) claimOne(which task.Claim) bool {
	now := time.Now()
	which.Owner, which.Until = c.e.owner, task.Time(now.Add(leaseTime))
	which.Now, which.Still = task.Time(now), c.silence.still(now)
	h, latest, err := c.e.claimNext(c.e.ctx, which)
	c.silence.note(time.Now(), latest)
	if errors.Is(err, task.ErrNotFound) {
		return false
	}
	if err == nil {
		c.served = append(c.served, h.Principal)
		err = c.take(h)
	}
	if err != nil && !errors.Is(err, task.ErrChanged) && !errors.Is(err, task.ErrNotFound) {
		c.e.storeFailed(err)
		return false
	}
	return true
}

// take runs a task that was claimed. If it must not run again, take makes it fail; if it cannot run here, take gives it
// back.
func (c *claimer) take(h *task.Head) error {
	e := c.e
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
		return c.deferHere(h)
	}
	r, err := e.Get(e.ctx, h.ID)
	switch {
	case err != nil:
	case r.Version != h.Version:
		err = task.ErrChanged
	case !e.grow(run, inputBytes(&r.Body)):
		e.release(run)
		return c.deferHere(h)
	default:
		err = e.beginHere(r)
	}
	if err != nil {
		e.release(run)
		return err
	}
	e.start(run, r)
	return nil
}

// deferHere leaves a claimed task to other processes, which may have room for it.
func (c *claimer) deferHere(h *task.Head) error {
	from, soon := c.e.claimableFrom(h)
	c.soon = c.soon || soon
	h.Release(from)
	if err := c.e.swap(c.e.ctx, h, nil); err != nil {
		return err
	}
	c.e.counts.Deferred.Add(1)
	return nil
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

// beginHere notes in the record that the handler of a claimed task begins in this process.
func (e *Engine) beginHere(r *task.Record) error {
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
// not claim the task again and again. soon reports whether the others should be told that they may claim it at once.
func (e *Engine) claimableFrom(h *task.Head) (from time.Time, soon bool) {
	known := e.Known(h.Tool)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed { // this process claims nothing any more
		return task.Time(time.Now()), false
	}
	before := e.runs[h.ID]
	large := e.places.room(h.Principal, 0) // there is a place, but no room for the bytes of the task
	if !known || large || before != nil && !before.hasEnded() {
		return task.Time(time.Now().Add(claimEvery)), false
	}
	return task.Time(time.Now()), true
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
