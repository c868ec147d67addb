package natsbus

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// Claim implements [task.Store].
func (t *Tasks) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	stream, err := t.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	for e, found := t.nextReady(&c); found; e, found = t.nextReady(&c) {
		if h, err := t.take(ctx, stream, e, c, time.Time{}); h != nil || err != nil {
			return h, 0, err
		}
	}
	entries, seen, err := t.entries(ctx, stream, working+"*.*.*.*")
	if err != nil {
		return nil, 0, err
	}
	entries = t.candidates(entries, seen.latest, c)
	for i, e := range entries {
		h, err := t.take(ctx, stream, e, c, seen.at)
		if h != nil && !c.Owned {
			t.keepReady(entries[i+1:])
		}
		if h != nil || err != nil {
			return h, seen.latest, err
		}
	}
	return nil, seen.latest, task.ErrNotFound
}

// candidates notes which entries there are, and returns those that may be claimable, in the order of Claim.
func (t *Tasks) candidates(entries []entry, latest uint64, c task.Claim) (found []entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen, now := make(map[entry]*sight, len(entries)), c.Now.UnixMilli()
	for _, e := range entries {
		s := t.seen[e]
		if s == nil {
			s = &sight{since: latest}
		}
		seen[e] = s
		claimable := s.since <= c.Still && !(c.Owned && s.free) || e.due <= now && !s.owned && !c.Owned
		if claimable && e.expires > now && !slices.Contains(c.Except, e.principal) {
			found = append(found, e)
		}
	}
	t.seen = seen
	slices.SortFunc(found, func(a, b entry) int {
		if x, y := seen[a].since, seen[b].since; x <= c.Still || y <= c.Still {
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.id, b.id))
		}
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.id, b.id))
	})
	return found
}

// nextReady returns the entry of a task that was claimable a while ago, whether it has an owner or not.
func (t *Tasks) nextReady(c *task.Claim) (e entry, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.ready, func(e entry) bool { return !slices.Contains(c.Except, e.principal) })
	if i < 0 || c.Owned {
		return e, false
	}
	e = t.ready[i]
	t.ready = slices.Delete(t.ready, i, i+1)
	return e, true
}

func (t *Tasks) keepReady(entries []entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = slices.Clone(entries[:min(len(entries), maxReady)])
}

// take claims the task of an entry, or returns nil if that is not claimable any more.
// It was seen at a time of the server; the zero value is unknown.
func (t *Tasks) take(
	ctx context.Context, stream jetstream.Stream, e entry, c task.Claim, at time.Time,
) (*task.Head, error) {
	old, err := t.head(ctx, stream, e.id)
	switch {
	case errors.Is(err, task.ErrNotFound):
		err = t.orphan(ctx, stream, e, at)
	case err != nil:
	case entryOf(&old.Head) != e:
		// It was replaced, or its record will be; what is older than the record is of no use any more.
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(t.subject+e.key()), jetstream.WithPurgeSequence(old.Version))
	case old.Claimable(c.Now, c.Still) && (!c.Owned || old.Owner != ""):
		k := &kept{Head: old.Head}
		k.Lease(c.Owner, c.Until)
		if err = t.replaceHead(ctx, stream, k, old); err == nil {
			return &k.Head, nil
		}
		if errors.Is(err, task.ErrChanged) || errors.Is(err, task.ErrNotFound) {
			return nil, nil // another one was faster
		}
	default:
		t.mu.Lock()
		if s := t.seen[e]; s != nil {
			s.owned, s.free = old.Owner != "", old.Owner == ""
		}
		t.mu.Unlock()
	}
	if err != nil {
		return nil, t.known(err)
	}
	return nil, nil
}
