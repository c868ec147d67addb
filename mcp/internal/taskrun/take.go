package taskrun

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// maxClaims bounds the claims of one turn of the loop, so that what cannot be run here does not keep it busy.
const maxClaims = 256

// maxServed bounds the principals that a store is asked to leave out because others wait longer.
const maxServed = 256

// claimAll runs tasks that nobody runs, while there is room: one of each principal in turn, and the oldest of it.
func (e *Engine) claimAll() {
	for range maxClaims {
		full, room := e.full()
		switch {
		case !room:
			return
		case e.claimOne(time.Now(), append(full, e.served...)):
		case len(e.served) == 0:
			return
		default: // all have had a task
			e.served = nil
		}
		if len(e.served) >= maxServed {
			e.served = nil
		}
	}
}

// sweep claims tasks of all principals, also of those that have no room here: what owners that have died have left
// unfinished may have to end, which needs no room. What cannot be run is left to others at once. A sweep claims it
// once, because it can be claimed again from a time after the beginning of the sweep.
func (e *Engine) sweep() {
	began := time.Now()
	for range maxClaims {
		if _, room := e.full(); !room || !e.claimOne(began, nil) {
			break
		}
	}
}

// full returns the principals that have all the room that they may have, and whether there is room for others.
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

// claimOne claims a task that nobody has had since a time, of none of some principals, and runs it if there is room. It
// reports false if there is no such task, or if the store does not answer.
func (e *Engine) claimOne(since time.Time, except []string) bool {
	var h *task.Head
	err := e.call(e.ctx, func(ctx context.Context) (err error) {
		var latest uint64
		now := time.Now()
		h, latest, err = e.store.Claim(ctx, task.Claim{
			Owner: e.owner, Until: task.Time(now.Add(leaseTime)), Now: task.Time(since), Still: e.silence.still(now),
			Except: except,
		})
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

// take runs a task that was claimed, or writes why it is not run.
func (e *Engine) take(h *task.Head) error {
	if h.Begun && (!h.Restart || h.Runs+1 >= maxInterrupted) {
		r := &task.Record{Head: *h}
		interrupt(r)
		if err := e.swap(e.ctx, &r.Head, &r.Body); err != nil {
			return err
		}
		e.counts.Ended[stats.TaskInterrupted].Add(1)
		e.changed(h.ID)
		return nil
	}
	var run *Run
	if e.Known(h.Tool) {
		run, _ = e.reserve(h, h.Size)
	}
	if run == nil { // another process may have room for it
		h.Release(claimableFrom(e, h))
		if err := e.swap(e.ctx, h, nil); err != nil {
			return err
		}
		e.counts.Deferred.Add(1)
		return nil
	}
	r, err := beginHere(e, h)
	if err != nil {
		e.release(run)
		return err
	}
	grow(e, run, inputBytes(&r.Body))
	e.start(run, r)
	return nil
}

// beginHere writes that the handler of a task that was claimed begins in this process, and returns its record.
func beginHere(e *Engine, h *task.Head) (*task.Record, error) {
	r, err := e.Get(e.ctx, h.ID)
	switch {
	case err != nil:
		return nil, err
	case r.Version != h.Version:
		return nil, task.ErrChanged
	}
	if r.Begun {
		r.Runs++
	}
	r.Begun = true
	if err := e.swap(e.ctx, &r.Head, nil); err != nil {
		return nil, err
	}
	if r.Runs > h.Runs {
		e.counts.TakenOver.Add(1)
	}
	return r, nil
}

// claimableAfter is the least time after which a task can be claimed again, so that a sweep claims it once. Times of
// records are whole milliseconds.
const claimableAfter = time.Millisecond

// claimableFrom is from when on a task that was claimed and is not run may be claimed again: at once if it is left
// where it is while there is no room for it, and later if this process would claim it again and again.
func claimableFrom(e *Engine, r *task.Head) time.Time {
	known := e.Known(r.Tool)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed { // this process claims nothing any more
		return task.Time(time.Now())
	}
	before := e.runs[r.ID]
	large := e.places.room(r.Principal, 0) // else there is no room for what its handler is given
	if !known || large || before != nil && !before.hasEnded() {
		return task.Time(time.Now().Add(claimEvery))
	}
	e.soon = true
	return task.Time(time.Now()).Add(claimableAfter)
}

// silence knows since when records have not changed, by the clock of this process alone: it notes the greatest version
// of the store now and then. A record whose version is not above one that was noted a lease ago has an owner that is
// silent.
type silence struct {
	seen []sight // the oldest first
}

type sight struct {
	at      time.Time
	version uint64
}

// sightEvery is the least time between two versions that are noted.
const sightEvery = claimEvery / 4

// note notes the greatest version at a time; 0 is unknown.
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

// still returns the greatest version that was noted at least a lease before now; 0 if there is none.
func (s *silence) still(now time.Time) (version uint64) {
	for _, x := range s.seen {
		if now.Sub(x.at) >= leaseTime {
			version = x.version
		}
	}
	return version
}
