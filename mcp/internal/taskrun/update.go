package taskrun

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// Update gives a task answers to its questions. merge changes Asked and Answers of a record whose Status is
// [task.InputRequired], and reports whether it did. Once nothing is asked any more, the handler runs again.
func (e *Engine) Update(ctx context.Context, id string, merge func(r *task.Record) (changed bool)) error {
	resumes := false
	r, err := e.change(ctx, id, e.Get, func(r *task.Record) error {
		resumes = false
		if r.Status != task.InputRequired || !merge(r) {
			return errAsIs
		}
		now := time.Now()
		r.Touch(now)
		if resumes = len(r.Asked) == 0; resumes {
			e.resume(r, now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.changed(id)
	if !resumes {
		return nil
	}
	if r.Begun {
		run, _ := e.reserve(&r.Head, inputBytes(&r.Body)) // once it is known that nobody else resumes the task
		if run != nil {
			e.start(run, r)
			run.notice() // what has changed before there was the run
			return nil
		}
		e.putBack(context.WithoutCancel(ctx), &r.Head)
	}
	e.defers()
	return nil
}

// resume makes a record one that goes on: here, which Begun says, if there is room now, else wherever there is.
func (e *Engine) resume(r *task.Record, now time.Time) {
	e.mu.Lock()
	r.Begun = e.roomLocked(&r.Head, inputBytes(&r.Body))
	e.mu.Unlock()
	r.Status = task.Working
	r.Release(now)
	if r.Begun {
		r.Lease(e.owner, now.Add(leaseTime))
	}
}

// putBack leaves a task to others that this process has a lease on and no room for any more. If that fails, the lease
// ends by itself.
func (e *Engine) putBack(ctx context.Context, h *task.Head) {
	h.Begun = false
	h.Release(time.Now())
	if err := e.swap(ctx, h, nil); err != nil && !errors.Is(err, task.ErrChanged) && !errors.Is(err, task.ErrNotFound) {
		e.storeFailed(err)
	}
}
