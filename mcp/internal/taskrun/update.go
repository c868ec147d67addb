package taskrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// Update gives a task answers to its questions. merge changes Asked and Answers of a record whose Status is
// [task.InputRequired], and reports whether it has. Once no question is open, the handler runs again.
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
		run, _ := e.reserve(&r.Head, inputBytes(&r.Body)) // only now: the swap has shown that nobody else resumes it
		if run != nil {
			e.start(run, r)
			run.notice() // the record may have changed before Signal could find the run
			return nil
		}
		e.putBack(context.WithoutCancel(ctx), &r.Head)
	}
	e.defers()
	return nil
}

// resume makes a task go on: if there is room here, its record gets a lease of this process and Begun is set. Otherwise
// any process with room may claim it.
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

// putBack gives back a task that this process has a lease on but no room for. If that fails, the lease ends by itself.
func (e *Engine) putBack(ctx context.Context, h *task.Head) {
	h.Begun = false
	h.Release(time.Now())
	if err := e.swap(ctx, h, nil); err != nil && !errors.Is(err, task.ErrChanged) && !errors.Is(err, task.ErrNotFound) {
		e.storeFailed(err)
	}
}

// mostResultBytes leaves room in a record for arguments, answers and a checkpoint.
const mostResultBytes = task.MaxRecord / 2

// CheckOptions returns an error that tells all options out of range; nil if none is.
func CheckOptions(o *task.Options) error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"TTL", int64(o.TTL)},
		{"MaxPerPrincipal", int64(o.MaxPerPrincipal)},
		{"MaxTotal", int64(o.MaxTotal)},
		{"MaxBytes", o.MaxBytes},
		{"MaxRunning", int64(o.MaxRunning)},
		{"MaxResultBytes", int64(o.MaxResultBytes)},
		{"PollInterval", int64(o.PollInterval)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("mcp: Options.Tasks.%s is %d: want 0 or more", n.name, n.value))
		}
	}
	if o.TTL > 0 && o.TTL < time.Second {
		errs = append(errs, fmt.Errorf("mcp: Options.Tasks.TTL is %v: want at least a second", o.TTL))
	}
	if o.MaxResultBytes > mostResultBytes {
		errs = append(errs, fmt.Errorf("mcp: Options.Tasks.MaxResultBytes is %d: want at most %d",
			o.MaxResultBytes, mostResultBytes))
	}
	return errors.Join(errs...)
}
