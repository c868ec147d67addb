package taskrun

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// changed tells those who wait here, and Config.Changed, that a task has changed.
func (e *Engine) changed(id string) {
	e.waiters.notify(id)
	e.Changed(id)
}

// Signal says that another process may have changed a task.
func (e *Engine) Signal(id string) {
	e.waiters.notify(id)
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
	c := e.waiters.add(id) // before runsHere, so that a run which ends after that notifies c
	defer e.waiters.remove(id, c)
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

// waiters are those who wait for changes of tasks. The zero value has none. It is safe for concurrent use.
type waiters struct {
	mu sync.Mutex
	of map[string]map[chan struct{}]struct{} // by the ids of tasks
}

// add returns a channel that gets an element when a task changes, unless it has one. The caller must call remove at the
// end.
func (w *waiters) add(id string) chan struct{} {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = make(map[string]map[chan struct{}]struct{})
	}
	if w.of[id] == nil {
		w.of[id] = make(map[chan struct{}]struct{})
	}
	w.of[id][c] = struct{}{}
	return c
}

// remove undoes an add.
func (w *waiters) remove(id string, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.of[id], c); len(w.of[id]) == 0 {
		delete(w.of, id)
	}
}

// notify tells those who wait for a task to look at it again. It never blocks.
func (w *waiters) notify(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.of[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
