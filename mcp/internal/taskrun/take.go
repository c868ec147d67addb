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
	var r *task.Record
	err := e.call(e.ctx, func(ctx context.Context) (err error) {
		until := task.Time(time.Now().Add(leaseTime))
		r, err = e.store.ClaimExcept(ctx, e.owner, task.Time(since), until, except)
		return err
	})
	if errors.Is(err, task.ErrNotFound) {
		return false
	}
	if err == nil {
		e.served = append(e.served, r.Principal)
		err = e.take(r)
	}
	if err != nil && !errors.Is(err, task.ErrChanged) && !errors.Is(err, task.ErrNotFound) {
		e.storeFailed(err)
		return false
	}
	return true
}

// take runs a task that was claimed, or writes why it is not run.
func (e *Engine) take(r *task.Record) error {
	var run *Run
	if e.Known(r.Tool) {
		run, _ = e.reserve(r)
	}
	again, ends, runs := run == nil, false, r.Runs
	switch {
	case r.Begun && (!r.Restart || r.Runs+1 >= maxInterrupted):
		interrupt(r)
		ends = true
	case again: // another process may have room for it
		r.LeaseUntil = e.claimableFrom(r)
	default:
		if r.Begun {
			r.Runs++
		}
		r.Begun = true
	}
	err := e.swap(e.ctx, r)
	if err != nil || ends || again {
		e.release(run)
	}
	switch {
	case err != nil:
		return err
	case ends:
		e.counts.Ended[stats.TaskInterrupted].Add(1)
		e.changed(r.ID)
	case again:
		e.counts.Deferred.Add(1)
	default:
		if r.Runs > runs {
			e.counts.TakenOver.Add(1)
		}
		e.start(run, r)
	}
	return nil
}

// claimableAfter is the least time after which a task can be claimed again, so that a sweep claims it once. Times of
// records are whole milliseconds.
const claimableAfter = time.Millisecond

// claimableFrom is from when on a task that was claimed and is not run may be claimed again: at once if it is left
// where it is while there is no room for it, and later if this process would claim it again and again.
func (e *Engine) claimableFrom(r *task.Record) time.Time {
	known := e.Known(r.Tool)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed { // this process claims nothing any more
		return task.Time(time.Now())
	}
	before := e.runs[r.ID]
	large := e.places.room(r.Principal, 0) // else there is no room for what its handler is given
	if !e.selects || !known || large || before != nil && !before.hasEnded() {
		return task.Time(time.Now().Add(claimEvery))
	}
	e.soon = true
	return task.Time(time.Now()).Add(claimableAfter)
}
