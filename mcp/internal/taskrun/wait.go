package taskrun

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// changed tells those who wait here, and Config.Changed, that a task has changed.
func (e *Engine) changed(id string) {
	e.notify(id)
	e.Changed(id)
}

func (e *Engine) notify(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.waiters[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Signal says that another process may have changed a task.
func (e *Engine) Signal(id string) {
	e.notify(id)
	e.mu.Lock()
	run := e.runs[id]
	e.mu.Unlock()
	if run != nil {
		run.notice()
	}
}

// Wait returns the head of a task as soon as the function enough returns true for it. Once e closes, it waits only for
// tasks that run here; for others the error is [ErrClosed]. If ctx ends first, the error is the cause of ctx.
func (e *Engine) Wait(ctx context.Context, id string, enough func(h *task.Head) bool) (*task.Head, error) {
	c := make(chan struct{}, 1)
	e.mu.Lock()
	if e.waiters[id] == nil {
		e.waiters[id] = make(map[chan struct{}]struct{})
	}
	e.waiters[id][c] = struct{}{}
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if delete(e.waiters[id], c); len(e.waiters[id]) == 0 {
			delete(e.waiters, id)
		}
	}()
	closing := e.closing
	for {
		waits := closing != nil || e.runsHere(id) // before Head: a run that is gone by now has written its record
		h, err := e.Head(ctx, id)
		if err != nil || enough(h) {
			return h, err
		}
		if !waits {
			return h, ErrClosed
		}
		wait := time.Until(h.Expires) + time.Millisecond
		switch notified := e.Notified != nil && e.Notified(); {
		case e.shared && notified:
			wait = min(wait, pollSeldom)
		case e.shared:
			wait = min(wait, pollEvery)
		}
		if failpoint.On("task-wait-lost-wakeup") {
			select { // forgets what has come while the record was read
			case <-c:
			default:
			}
		}
		t := time.NewTimer(wait)
		select {
		case <-c:
		case <-t.C:
		case <-closing:
			closing = nil
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		t.Stop()
		if err != nil {
			return h, err
		}
	}
}

// runsHere reports whether the handler of a task runs in this process.
func (e *Engine) runsHere(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runs[id] != nil
}
