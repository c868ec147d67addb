package taskrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// maxHung is how many calls of a store may go on after their time, before it is not called any more.
	maxHung = 64
	// hangsAfter is how long after its context has ended a call counts as one that hangs.
	hangsAfter = time.Second
)

var (
	errHangs   = errors.New("taskrun: the store ignores that its context has ended")
	errGarbage = errors.New("taskrun: the store has returned what is no record of the task")
)

// guardedStore is a store of somebody else. Its calls end in time, a panic is an error, and a record that it returns is
// one. It is safe for concurrent use.
type guardedStore struct {
	task.Store
	log  *slog.Logger
	hung atomic.Int64
}

// limited returns what f does, or errHangs soon after ctx has ended. f must not use anything of its caller's then.
func limited[T any](ctx context.Context, g *guardedStore, f func() (T, error)) (v T, err error) {
	type result struct {
		v   T
		err error
	}
	if g.hung.Load() >= maxHung {
		return v, errHangs
	}
	c := make(chan result, 1)
	go func() {
		r := result{err: errors.New("taskrun: the store has ended the goroutine")}
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("taskrun: the store has panicked: %v", p)
				g.log.Error("mcp: panic in the store of tasks", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
			c <- r
		}()
		r.v, r.err = f()
	}()
	select {
	case r := <-c:
		return r.v, r.err
	case <-ctx.Done():
	}
	t := time.NewTimer(hangsAfter)
	defer t.Stop()
	select {
	case r := <-c:
		return r.v, r.err
	case <-t.C:
	}
	g.hung.Add(1)
	go func() {
		<-c
		g.hung.Add(-1)
	}()
	return v, errHangs
}

func (g *guardedStore) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	return g.change(ctx, r, func(r *task.Record) error { return g.Store.Create(ctx, r, limits) })
}

func (g *guardedStore) Swap(ctx context.Context, r *task.Record) error {
	return g.change(ctx, r, func(r *task.Record) error { return g.Store.Swap(ctx, r) })
}

// change gives f a copy of r, and r the version that f has set.
func (g *guardedStore) change(ctx context.Context, r *task.Record, f func(r *task.Record) error) error {
	copied := *r
	version, err := limited(ctx, g, func() (uint64, error) {
		err := f(&copied)
		return copied.Version, err
	})
	if err == nil {
		r.Version = version
	}
	return err
}

func (g *guardedStore) Get(ctx context.Context, id string) (*task.Record, error) {
	r, err := limited(ctx, g, func() (*task.Record, error) { return g.Store.Get(ctx, id) })
	if err == nil && !isRecord(r, id) {
		return nil, errGarbage
	}
	return r, err
}

func (g *guardedStore) Claim(ctx context.Context, owner string, now, until time.Time) (*task.Record, error) {
	return g.ClaimExcept(ctx, owner, now, until, nil)
}

// ClaimExcept is Claim for a store that cannot leave out principals.
func (g *guardedStore) ClaimExcept(
	ctx context.Context, owner string, now, until time.Time, principals []string,
) (*task.Record, error) {
	r, err := limited(ctx, g, func() (*task.Record, error) {
		if s, selects := g.Store.(task.SelectiveStore); selects && len(principals) > 0 {
			return s.ClaimExcept(ctx, owner, now, until, principals)
		}
		return g.Store.Claim(ctx, owner, now, until)
	})
	if err == nil && (r == nil || !isRecord(r, r.ID) || r.Status != task.Working || r.Owner != owner) {
		return nil, errGarbage
	}
	return r, err
}

func (g *guardedStore) List(ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
	list, err := limited(ctx, g, func() ([]*task.Record, error) { return g.Store.List(ctx, principal, after, limit) })
	if err != nil {
		return nil, err
	}
	if len(list) > limit {
		return nil, errGarbage
	}
	for _, r := range list {
		if r == nil || r.ID <= after || r.Principal != principal || !isRecord(r, r.ID) {
			return nil, errGarbage
		}
		after = r.ID
	}
	return list, nil
}

func (g *guardedStore) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := limited(ctx, g, func() (int, error) { return g.Store.Expire(ctx, now, limit) })
	return min(max(n, 0), limit), err
}

// isRecord reports whether r is the record of a task with an id, of which clients can be told.
func isRecord(r *task.Record, id string) bool {
	if r == nil || r.ID != id || r.ID == "" || r.Principal == "" {
		return false
	}
	switch r.Status {
	case task.Completed:
		return wire.KindOf(r.Result) == wire.KindObject
	case task.Working, task.InputRequired, task.Failed, task.Cancelled:
		return true
	}
	return false
}
