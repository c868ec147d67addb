package natsbus

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// recountSuspects counts anew what has refused something since the last time.
func (t *Tasks) recountSuspects(ctx context.Context, stream jetstream.Stream) error {
	t.rooms.mu.Lock()
	suspects := t.rooms.suspects
	t.rooms.suspects = nil
	t.rooms.mu.Unlock()
	if len(suspects) == 0 {
		return nil
	}
	err := t.recount(ctx, stream, suspects)
	if err != nil {
		for p := range suspects {
			t.suspect(p)
		}
	}
	return err
}

// countFirst counts everything, once for all who wait for it.
func (t *Tasks) countFirst(ctx context.Context, stream jetstream.Stream) error {
	select {
	case t.counting <- struct{}{}:
		defer func() { <-t.counting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, version, err := t.counted(ctx, stream, countsAll); err != nil || version > 0 {
		return err
	}
	return t.recount(ctx, stream, nil)
}

// recount counts what some principals have, or what all have, which is "" or nil, and nil also each of them. What
// others change meanwhile may be counted wrongly.
func (t *Tasks) recount(ctx context.Context, stream jetstream.Stream, only map[string]bool) error {
	entries, _, err := t.entries(ctx, stream, "*.*.*.*.*")
	if err != nil {
		return err
	}
	tasks := make(map[string]entry) // by id
	for _, e := range entries {
		if only == nil || only[""] || only[e.principal] {
			if old, twice := tasks[e.id]; !twice || old.working {
				tasks[e.id] = e
			}
		}
	}
	has := map[string]task.Holding{"": {}}
	for p := range only {
		has[p] = task.Holding{}
	}
	var mu sync.Mutex
	err = inParallel(tasks, func(id string, e entry) error {
		h := e.holding()
		if h.Ended == 0 {
			k, err := t.head(ctx, stream, id)
			if errors.Is(err, task.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			h = holdingOf(&k.Head)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, p := range []string{"", e.principal} {
			now := has[p]
			now.Add(h, 1)
			has[p] = now
		}
		return nil
	})
	if err != nil {
		return err
	}
	all := has[""]
	delete(has, "")
	err = inParallel(has, func(p string, want task.Holding) error {
		if only != nil && !only[p] {
			return nil
		}
		return t.set(ctx, stream, counts+p, want)
	})
	if err != nil || only != nil && !only[""] {
		return err
	}
	return t.set(ctx, stream, countsAll, all) // last: from now on the counters count
}

// set corrects a counter. One that changes meanwhile stays as it is.
func (t *Tasks) set(ctx context.Context, stream jetstream.Stream, key string, want task.Holding) error {
	now, version, err := t.counted(ctx, stream, key)
	switch {
	case err != nil:
		return err
	case now == want && version > 0:
		return nil
	case want == task.Holding{} && key != countsAll:
		if version == 0 {
			return nil
		}
		err = t.drop(ctx, stream, key, version)
	default:
		err = t.count(ctx, key, want, version)
	}
	if errors.Is(err, errConflict) {
		return nil
	}
	return err
}

// inParallel calls a function for all elements of a map, some at a time, and returns one of its errors.
func inParallel[V any](of map[string]V, do func(key string, v V) error) error {
	const most = 16
	places, failed := make(chan struct{}, most), make(chan error, 1)
	var wait sync.WaitGroup
	for key, v := range of {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			if err := do(key, v); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	wait.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}
