package natsbus

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
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

const (
	// countTime is the most that the first count may take. Who waits for it waits no longer than they want to.
	countTime = 2 * time.Minute
	// recountEvery is how often all is counted anew, whatever has refused something: older releases that use the same
	// bucket count nothing.
	recountEvery = time.Hour
)

// firstCount is one that goes on.
type firstCount struct {
	done chan struct{}
	err  error // valid once done is closed
}

// countFirst counts everything, once for all who wait for it. It goes on if they do not.
func (t *Tasks) countFirst(ctx context.Context, stream jetstream.Stream) error {
	t.mu.Lock()
	c := t.counting
	if c == nil {
		c = &firstCount{done: make(chan struct{})}
		t.counting = c
		go func() {
			lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTime)
			defer cancel()
			c.err = t.countUncounted(lasting, stream)
			t.mu.Lock()
			t.counting = nil
			t.mu.Unlock()
			close(c.done)
		}()
	}
	t.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Tasks) countUncounted(ctx context.Context, stream jetstream.Stream) error {
	if _, version, err := t.counted(ctx, stream, countsAll); err != nil || version > 0 {
		return err
	}
	return t.recount(ctx, stream, nil)
}

// recountSometimes counts everything if that was long ago at a time of the server, in one of all processes.
func (t *Tasks) recountSometimes(ctx context.Context, stream jetstream.Stream, now time.Time) error {
	last := uint64(0)
	switch msg, err := stream.GetLastMsgForSubject(ctx, t.subject+countedAt); {
	case errors.Is(err, jetstream.ErrMsgNotFound):
	case err != nil:
		return t.failed(err)
	case now.Sub(msg.Time) < recountEvery:
		return nil
	default:
		last = msg.Sequence
	}
	if _, version, err := t.counted(ctx, stream, countsAll); err != nil || version == 0 {
		return err // the first who creates a task counts
	}
	msg := &nats.Msg{Subject: t.subject + countedAt}
	_, err := t.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(last))
	switch {
	case isConflict(err):
		return nil // another one does it
	case err != nil:
		return t.known(err)
	}
	done := make(chan error, 1)
	go func() { // a large bucket takes longer than a look for expired tasks may
		lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTime)
		defer cancel()
		err := t.recount(lasting, stream, nil)
		if err != nil { // the next look tries again
			err = errors.Join(err, stream.Purge(lasting, jetstream.WithPurgeSubject(t.subject+countedAt)))
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return nil
	}
}

// counter is what a counter said, and its version.
type counter struct {
	task.Holding

	version uint64
}

// counters returns the counters of some principals, where "" is all, or those of all and of each if that is nil.
func (t *Tasks) counters(
	ctx context.Context, stream jetstream.Stream, only map[string]bool,
) (map[string]counter, error) {
	found := make(map[string]counter)
	for p := range only {
		found[p] = counter{}
	}
	if only == nil {
		found[""] = counter{}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(t.subject+counts+"*"))
		if err != nil {
			return nil, t.failed(err)
		}
		for subject := range info.State.Subjects {
			found[strings.TrimPrefix(subject, t.subject+counts)] = counter{}
		}
	}
	var mu sync.Mutex
	err := inParallel(maps.Clone(found), func(p string, _ counter) error {
		h, version, err := t.counted(ctx, stream, counterOf(p))
		mu.Lock()
		defer mu.Unlock()
		found[p] = counter{h, version}
		return err
	})
	return found, err
}

// counterOf is the key of the counter of a principal, or of all.
func counterOf(principal string) string {
	if principal == "" {
		return countsAll
	}
	return counts + principal
}

// recount counts what some principals have, or what all have, which is "" or nil, and nil also each of them. A counter
// that others change meanwhile stays as it is, and is suspect, as one that was wrong is.
func (t *Tasks) recount(ctx context.Context, stream jetstream.Stream, only map[string]bool) error {
	before, err := t.counters(ctx, stream, only) // first: what is counted after that is not in the entries
	if err != nil {
		return err
	}
	has, err := t.countEntries(ctx, stream, only)
	if err != nil {
		return err
	}
	all := has[""]
	delete(has, "")
	for p := range before {
		if _, known := has[p]; !known && p != "" { // what has nothing any more has a counter still
			has[p] = task.Holding{}
		}
	}
	err = inParallel(has, func(p string, want task.Holding) error {
		if only != nil && !only[p] {
			return nil
		}
		return t.set(ctx, stream, p, want, before[p])
	})
	if err != nil || only != nil && !only[""] {
		return err
	}
	return t.set(ctx, stream, "", all, before[""]) // last: from now on the counters count
}

// countEntries counts what some principals have, and as "" what they have together; nil is each of them.
func (t *Tasks) countEntries(
	ctx context.Context, stream jetstream.Stream, only map[string]bool,
) (map[string]task.Holding, error) {
	entries, _, err := t.entries(ctx, stream, "*.*.*.*.*")
	if err != nil {
		return nil, err
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
	return has, err
}

// set corrects the counter of a principal, or of all, that has said something before the tasks were counted. What a
// request has counted may not be written yet, or the other way round. So who was corrected is suspect: the next count
// finds what that request has left.
func (t *Tasks) set(
	ctx context.Context, stream jetstream.Stream, principal string, want task.Holding, before counter,
) error {
	key := counterOf(principal)
	var err error
	switch {
	case before.Holding == want && before.version > 0:
		return nil
	case want == task.Holding{} && key != countsAll:
		if before.version == 0 {
			return nil
		}
		err = t.drop(ctx, stream, key, before.version)
	default:
		err = t.count(ctx, key, want, before.version)
	}
	if err == nil || errors.Is(err, errConflict) {
		t.suspect(principal)
		return nil
	}
	return err
}

// inParallel calls a function for all elements of a map, some at a time, and returns one of its errors.
func inParallel[V any](of map[string]V, do func(key string, v V) error) error {
	keys := slices.Collect(maps.Keys(of))
	return together(len(keys), func(i int) error { return do(keys[i], of[keys[i]]) })
}
