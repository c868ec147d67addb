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
	// maxHung limits how many calls of a store may go on beyond their time. Then the store is not called any more.
	maxHung = 64
	// hangsAfter is how long after the end of its context a call is given up.
	hangsAfter = time.Second
)

var (
	errHangs   error = hangs{}
	errGarbage       = errors.New("taskrun: the store has returned what is no record of the task")
)

// hangs is the type of errHangs, the error of a call that ignores the end of its context. It is a type of its own,
// because a variable that is made at start-up would be linked into every server.
type hangs struct{}

func (hangs) Error() string { return "taskrun: the store ignores that its context has ended" }

// Unwrap makes errors.Is find context.DeadlineExceeded, as for other slow calls.
func (hangs) Unwrap() error { return context.DeadlineExceeded }

// guardedStore wraps a store that the program supplies. Its calls end in time, a panic becomes an error, and the
// records and heads that it returns are checked. It is safe for concurrent use.
type guardedStore struct {
	task.Store
	log  *slog.Logger
	hung atomic.Int64
}

// limited returns the result of f. It returns errHangs if f is still running hangsAfter after the end of ctx, or if too
// many calls hang already. f may run on afterwards, so it must not use variables of its caller.
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

// version has the fields of a head that the store sets.
type version struct {
	version uint64
	size    int64
}

func (g *guardedStore) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	copied := *r
	v, err := limited(ctx, g, func() (version, error) {
		err := g.Store.Create(ctx, &copied, limits)
		return version{copied.Version, copied.Size}, err
	})
	if err == nil {
		r.Version, r.Size = v.version, v.size
	}
	return err
}

func (g *guardedStore) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	copied := *h
	if b != nil {
		b = new(*b)
	}
	v, err := limited(ctx, g, func() (version, error) {
		err := g.Store.Swap(ctx, &copied, b, limits)
		return version{copied.Version, copied.Size}, err
	})
	if err == nil {
		h.Version, h.Size = v.version, v.size
	}
	return err
}

func (g *guardedStore) Head(ctx context.Context, id string) (*task.Head, error) {
	h, err := limited(ctx, g, func() (*task.Head, error) { return g.Store.Head(ctx, id) })
	if err == nil && !isHead(h, id) {
		return nil, errGarbage
	}
	return h, err
}

func (g *guardedStore) Get(ctx context.Context, id string) (*task.Record, error) {
	r, err := limited(ctx, g, func() (*task.Record, error) { return g.Store.Get(ctx, id) })
	if err == nil && !isRecord(r, id) {
		return nil, errGarbage
	}
	return r, err
}

func (g *guardedStore) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	type answer struct {
		h      *task.Head
		latest uint64
	}
	x, err := limited(ctx, g, func() (answer, error) {
		h, latest, err := g.Store.Claim(ctx, c)
		return answer{h, latest}, err
	})
	if err == nil && (x.h == nil || !isHead(x.h, x.h.ID) || x.h.Status != task.Working || x.h.Owner != c.Owner) {
		return nil, 0, errGarbage
	}
	return x.h, x.latest, err
}

func (g *guardedStore) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
	list, err := limited(ctx, g, func() ([]*task.Head, error) { return g.Store.List(ctx, principal, after, limit) })
	if err != nil {
		return nil, err
	}
	if len(list) > limit {
		return nil, errGarbage
	}
	for _, h := range list {
		if h == nil || h.ID <= after || h.Principal != principal || !isHead(h, h.ID) {
			return nil, errGarbage
		}
		after = h.ID
	}
	return list, nil
}

func (g *guardedStore) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := limited(ctx, g, func() (int, error) { return g.Store.Expire(ctx, now, limit) })
	return min(max(n, 0), limit), err
}

// isHead reports whether h is a valid head of the task with an id.
func isHead(h *task.Head, id string) bool {
	if h == nil || h.ID != id || h.ID == "" || h.Principal == "" {
		return false
	}
	switch h.Status {
	case task.Completed, task.Working, task.InputRequired, task.Failed, task.Cancelled:
		return true
	}
	return false
}

// isRecord reports whether r is a valid record of the task with an id.
func isRecord(r *task.Record, id string) bool {
	return r != nil && isHead(&r.Head, id) && (r.Status != task.Completed || wire.KindOf(r.Result) == wire.KindObject)
}
