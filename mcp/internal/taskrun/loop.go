package taskrun

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxInterrupted is how often a task may be interrupted before it fails, so that a task which crashes its process does
// not crash one process after the other.
const maxInterrupted = 5

// reserve reserves room for a run of a task, whose handler gets the given number of bytes. The caller must call start
// or release. It returns nil without an error if there is no room.
func (e *Engine) reserve(t *task.Head, bytes int64) (*Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return nil, ErrClosed
	case !e.roomLocked(t, bytes):
		return nil, nil
	}
	r := &Run{e: e, id: t.ID, principal: t.Principal, bytes: bytes,
		outcome: make(chan Outcome, 1), nudge: make(chan struct{}, 1)}
	r.ctx, r.cancel = context.WithCancelCause(e.ctx)
	e.runs[r.id] = r
	e.places.take(r.principal, r.bytes)
	return r, nil
}

// roomLocked reports whether there is room for a run of a task that does not run here already.
func (e *Engine) roomLocked(t *task.Head, bytes int64) bool {
	before := e.runs[t.ID]
	return !e.closed && (before == nil || before.hasEnded()) && e.places.room(t.Principal, bytes)
}

// inputBytes returns how many bytes the handler of a task gets.
func inputBytes(t *task.Body) int64 {
	return int64(len(t.Args)+len(t.Meta)+len(t.Answers)+len(t.Checkpoint)) + wire.DecodedSize(t.Args)
}

// grow makes r count the bytes that the handler of its task gets, which are known once the record was read and may be
// more than r has reserved. It returns false if there is no room for them. If no other task runs here, there is always
// room.
func (e *Engine) grow(r *Run, bytes int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.places.give(r.principal, r.bytes)
	fits := bytes <= r.bytes || len(e.places.of) == 0 || e.places.room(r.principal, bytes)
	if fits {
		r.bytes = max(r.bytes, bytes)
	}
	e.places.take(r.principal, r.bytes)
	return fits
}

// release gives back the room of a run. r may be nil.
func (e *Engine) release(r *Run) {
	if r == nil {
		return
	}
	r.cancel(ErrLost)
	e.mu.Lock()
	if e.runs[r.id] == r { // else the next run of the same task
		delete(e.runs, r.id)
	}
	e.places.give(r.principal, r.bytes)
	closed := e.closed
	e.mu.Unlock()
	if closed {
		e.waiters.notify(r.id) // those who wait for the task get ErrClosed
	}
	e.wakeUp()
}

// defers counts a task that waits until some process has room for it, and tells this process and the others.
func (e *Engine) defers() {
	e.counts.Deferred.Add(1)
	e.wakeUp()
	e.left()
}

// left tells other processes that there is a task for them to run.
func (e *Engine) left() {
	if e.shared && e.Left != nil {
		e.Left()
	}
}

// Claim makes the engine look soon for tasks that nobody runs.
func (e *Engine) Claim() { e.wakeUp() }

func (e *Engine) wakeUp() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// start starts the handler of a task on which this process has a lease, with the room that r has reserved.
func (e *Engine) start(r *Run, record *task.Record) {
	copied := *record // the caller may go on to change record
	r.record = &copied
	e.mu.Lock()
	closed := e.closed
	if r.started = !closed; !closed {
		e.active.Add(1)
	}
	e.mu.Unlock()
	if closed { // the handler has not begun
		defer e.release(r)
		r.finish(Outcome{Again: e.lasts, Stopped: !e.lasts})
		return
	}
	go func() {
		defer e.active.Done()
		defer e.release(r)
		r.do()
	}()
}

// do runs the handler, and writes its outcome as soon as there is one.
func (r *Run) do() {
	expires := time.AfterFunc(time.Until(r.Record().Expires), func() { r.cancel(task.ErrNotFound) })
	defer expires.Stop()
	r.startLapse()
	defer r.lapse.Stop()
	ended, returned := make(chan struct{}), make(chan struct{})
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		r.keep(ended)
	}()
	go func() {
		defer close(returned)
		r.e.Run(r.ctx, r)
	}()
	var o Outcome
	has := true
	select {
	case o = <-r.outcome:
	case <-returned:
		select {
		case o = <-r.outcome:
		default:
			has = false
		}
	}
	close(ended)
	<-kept
	switch {
	case has && !r.isStopped(&o):
		r.finish(o)
	case errors.Is(context.Cause(r.ctx), ErrClosed):
		r.finish(Outcome{Stopped: true})
	}
	<-returned
}

// isStopped reports whether the handler has only ended because the server closes: it has returned an error after the
// end of its context, and may run again elsewhere.
func (r *Run) isStopped(o *Outcome) bool {
	return (o.Error != nil || o.IsError) && r.Record().Restart && errors.Is(context.Cause(r.ctx), ErrClosed)
}

// begin starts the loop, unless it runs already or e is closed.
func (e *Engine) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.looping || e.closed {
		return
	}
	e.looping = true
	e.active.Go(e.loop)
}

// loop claims tasks that nobody runs, and removes those that have expired.
func (e *Engine) loop() {
	c := claimer{e: e}
	now := time.Now()
	expire, sweep := now.Add(rand.N(expireEvery)), now.Add(rand.N(sweepEvery)) //nolint:gosec // no secret
	for {
		now = time.Now()
		if !now.Before(expire) {
			expire = now.Add(expireEvery)
			if err := e.expire(e.ctx, now); err != nil {
				e.storeFailed(err)
			}
		}
		if !now.Before(sweep) {
			sweep = now.Add(sweepEvery)
			c.sweep()
		}
		c.claimAll()
		if c.soon {
			c.soon = false
			e.left()
		}
		t := time.NewTimer(claimEvery + rand.N(claimEvery/4)) //nolint:gosec // no secret
		select {
		case <-e.wake:
		case <-t.C:
		case <-e.closing:
			t.Stop()
			return
		}
		t.Stop()
	}
}

func (e *Engine) storeFailed(err error) {
	e.Log.Warn("mcp: the store of tasks does not answer", "err", err)
}

// Close stops claiming tasks, and waits for running ones for at most grace. Then it ends their contexts, and waits a
// little until their outcomes are written. If the store outlasts this process, Close does not wait for tasks that may
// run again: it ends their contexts at once, and each goes back to the store when its handler has returned.
func (e *Engine) Close(grace time.Duration) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return
	}
	e.closed = true
	var back []*Run
	for _, r := range e.runs {
		if e.lasts && r.started && r.Record().Restart {
			back = append(back, r)
		}
	}
	e.mu.Unlock()
	close(e.closing)
	for _, r := range back {
		r.cancel(ErrClosed)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.active.Wait()
	}()
	if !waitFor(ended, grace) {
		e.stop(ErrClosed)
		if !waitFor(ended, storeTimeout) {
			e.Log.Warn("mcp: tasks ignore that their contexts have ended", "count", e.Running())
		}
	}
	e.stop(ErrClosed)
}

func waitFor(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
