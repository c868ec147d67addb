package natsbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// Expire implements [task.Store].
func (t *Tasks) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	stream, err := t.open(ctx)
	if err != nil {
		return 0, err
	}
	entries, seen, err := t.entries(ctx, stream, "*.*.*.*.*")
	if err != nil {
		return 0, err
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.expires > now.UnixMilli() })
	gone := make(map[string]task.Holding) // by principal
	for i, e := range entries {
		if removed >= limit {
			break
		}
		k, err := t.remove(ctx, stream, e, now, seen.at)
		if k != nil {
			removed++
			h := gone[k.Principal]
			h.Add(holdingOf(&k.Head), 1)
			gone[k.Principal] = h
		}
		if err != nil {
			err = fmt.Errorf("after %d of %d: %w", i, len(entries), t.known(err))
			return removed, errors.Join(err, t.addGone(ctx, stream, gone))
		}
	}
	err = errors.Join(t.addGone(ctx, stream, gone), t.recountSuspects(ctx, stream))
	return removed, errors.Join(err, t.recountSometimes(ctx, stream, seen.at))
}

// addGone counts what was removed.
func (t *Tasks) addGone(ctx context.Context, stream jetstream.Stream, gone map[string]task.Holding) error {
	var all task.Holding
	for p, h := range gone {
		all.Add(h, 1)
		if err := t.add(ctx, stream, counts+p, h, -1); err != nil {
			t.suspect(p)
			return err
		}
	}
	if all == (task.Holding{}) {
		return nil
	}
	err := t.add(ctx, stream, countsAll, all, -1)
	if err != nil {
		t.suspect("")
	}
	return err
}

// remove removes the record of an entry if it has expired, and returns its head if it did. At is a time of the server.
func (t *Tasks) remove(ctx context.Context, stream jetstream.Stream, e entry, now, at time.Time) (*kept, error) {
	k, err := t.head(ctx, stream, e.id)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return nil, t.orphan(ctx, stream, e, at)
	case err != nil:
		return nil, err
	case !k.Expired(now):
		return nil, nil // it was replaced meanwhile
	}
	if gone, err := t.removeHead(ctx, stream, k); !gone {
		return nil, err
	}
	return k, stream.Purge(ctx, jetstream.WithPurgeSubject(t.rest(e.id)))
}

// removeHead removes a record, and reports whether nobody else was faster.
func (t *Tasks) removeHead(ctx context.Context, stream jetstream.Stream, k *kept) (bool, error) {
	err := stream.DeleteMsg(ctx, k.Version)
	if err == nil {
		return true, nil
	}
	head, other := t.head(ctx, stream, k.ID)
	if errors.Is(other, task.ErrNotFound) || other == nil && head.Version != k.Version {
		return false, nil // another one was faster
	}
	return false, err
}
