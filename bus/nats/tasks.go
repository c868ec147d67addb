package natsbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/task"
)

var _ task.Store = (*Tasks)(nil)

// TasksOptions are the properties of a bucket that is made. The zero value is one in a file on one server.
type TasksOptions struct {
	Replicas int                   // how many servers of the cluster keep each record; 0 is 1
	Storage  jetstream.StorageType // file or memory
	MaxBytes int64                 // the size of the bucket, beyond which writes are task.ErrFull; 0 is no limit
}

// Tasks is a [task.Store] in a bucket of JetStream's key-value store. All requests go to the leader of the bucket, so
// they see every change. It is as durable as the bucket: one in a file survives kill -9 of the server; for a loss of
// power see sync_interval of the server, or use replicas. The zero value is of no use.
//
// A change takes three requests. Claim asks for the keys of the tasks that work, about 100 bytes each, and Expire for
// those of all tasks; List and Create ask for those of the principal.
type Tasks struct {
	*bucket

	mu    sync.Mutex
	ready []entry // of tasks that were claimable when Claim has looked last, the oldest first
}

// maxReady is how many entries one look of Claim leaves for the next ones.
const maxReady = 64

// NewTasks returns a store in a bucket, which the first use makes if there is none. All replicas name the same bucket;
// it holds nothing else. Bucket has letters, digits, - and _. It does not wait for a server. The server must allow
// messages of 1 MiB (max_payload, whose default this is).
func NewTasks(js jetstream.JetStream, bucket string, options TasksOptions) (*Tasks, error) {
	b, err := newBucket(js, bucket, jetstream.StreamConfig{
		Description: "tasks of an MCP server",
		MaxBytes:    options.MaxBytes,
		Storage:     options.Storage,
		Replicas:    options.Replicas,
	})
	if err != nil {
		return nil, err
	}
	return &Tasks{bucket: b}, nil
}

// Create implements [task.Store].
func (t *Tasks) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	data, err := t.encode(ctx, r)
	if err != nil {
		return err
	}
	stream, err := t.open(ctx)
	if err != nil {
		return err
	}
	if _, err := t.head(ctx, stream, r.ID); !errors.Is(err, task.ErrNotFound) {
		if err == nil {
			err = task.ErrExists
		}
		return err
	}
	if err := t.room(ctx, stream, r.Principal, limits); err != nil {
		return err
	}
	version, err := t.write(ctx, r, data, 0)
	if errors.Is(err, errConflict) {
		return task.ErrExists
	}
	if err == nil {
		r.Version = version
	}
	return err
}

// room returns ErrFull if there are as many tasks as limits allow.
func (t *Tasks) room(ctx context.Context, stream jetstream.Stream, principal string, limits task.Limits) error {
	entries, subjects, err := t.entries(ctx, stream, "*.*.*."+principal+".*")
	if err != nil {
		return err
	}
	own := idsOf(entries)
	// Each task has at least two subjects, and there may be entries without a task.
	if len(own) < limits.PerPrincipal && subjects/2 < uint64(max(limits.Total, 0)) {
		return nil
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(t.subject+heads+"*"))
	if err != nil {
		return t.failed(err)
	}
	own = slices.DeleteFunc(own, func(id string) bool { return info.State.Subjects[t.subject+heads+id] == 0 })
	switch {
	case len(own) >= limits.PerPrincipal:
		return task.ErrPrincipalFull
	case len(info.State.Subjects) >= limits.Total:
		return task.ErrFull
	}
	return nil
}

// Get implements [task.Store].
func (t *Tasks) Get(ctx context.Context, id string) (*task.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !validTask.MatchString(id) {
		return nil, task.ErrNotFound
	}
	stream, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	return t.get(ctx, stream, id)
}

// Swap implements [task.Store].
func (t *Tasks) Swap(ctx context.Context, r *task.Record) error {
	data, err := t.encode(ctx, r)
	if err != nil {
		return err
	}
	stream, err := t.open(ctx)
	if err != nil {
		return err
	}
	version, err := uint64(0), errConflict
	if r.Version > 0 {
		version, err = t.write(ctx, r, data, r.Version)
	}
	if errors.Is(err, errConflict) {
		if _, err := t.head(ctx, stream, r.ID); err != nil {
			return err // that there is none, or that nobody knows
		}
		return task.ErrChanged
	}
	if err == nil {
		r.Version = version
	}
	return err
}

// Claim implements [task.Store].
func (t *Tasks) Claim(ctx context.Context, owner string, now, until time.Time) (*task.Record, error) {
	return t.ClaimExcept(ctx, owner, now, until, nil)
}

// ClaimExcept implements [task.SelectiveStore].
func (t *Tasks) ClaimExcept(
	ctx context.Context, owner string, now, until time.Time, principals []string,
) (*task.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stream, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	for e, found := t.nextReady(principals); found; e, found = t.nextReady(principals) {
		if r, err := t.take(ctx, stream, e, owner, now, until); r != nil || err != nil {
			return r, err
		}
	}
	entries, _, err := t.entries(ctx, stream, working+"*.*.*.*")
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		return e.due > now.UnixMilli() || e.expires <= now.UnixMilli() || slices.Contains(principals, e.principal)
	})
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.due, b.due) })
	for i, e := range entries {
		r, err := t.take(ctx, stream, e, owner, now, until)
		if r != nil {
			t.keepReady(entries[i+1:])
		}
		if r != nil || err != nil {
			return r, err
		}
	}
	return nil, task.ErrNotFound
}

// nextReady returns the entry of a task that was claimable a while ago, of none of some principals.
func (t *Tasks) nextReady(principals []string) (e entry, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.ready, func(e entry) bool { return !slices.Contains(principals, e.principal) })
	if i < 0 {
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
func (t *Tasks) take(
	ctx context.Context, stream jetstream.Stream, e entry, owner string, now, until time.Time,
) (*task.Record, error) {
	r, err := t.get(ctx, stream, e.id)
	switch {
	case errors.Is(err, task.ErrNotFound):
		err = t.orphan(ctx, stream, e)
	case err != nil:
	case entryOf(r) != e:
		// It was replaced, or its record will be; what is older than the record is of no use any more.
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(t.subject+e.key()), jetstream.WithPurgeSequence(r.Version))
	case r.Claimable(now):
		r.Lease(owner, until)
		if err = t.Swap(ctx, r); err == nil {
			return r, nil
		}
		if errors.Is(err, task.ErrChanged) || errors.Is(err, task.ErrNotFound) {
			return nil, nil // another one was faster
		}
	}
	if err != nil {
		return nil, t.known(err)
	}
	return nil, nil
}

// List implements [task.Store].
func (t *Tasks) List(ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !validPrincipal.MatchString(principal) {
		return nil, nil
	}
	stream, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	entries, _, err := t.entries(ctx, stream, "*.*.*."+principal+".*")
	if err != nil {
		return nil, err
	}
	var out []*task.Record
	for _, id := range idsOf(entries) {
		if len(out) >= limit {
			break
		}
		if id <= after {
			continue
		}
		r, err := t.get(ctx, stream, id)
		if errors.Is(err, task.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.Principal == principal {
			out = append(out, r)
		}
	}
	return out, nil
}

// Expire implements [task.Store].
func (t *Tasks) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	stream, err := t.open(ctx)
	if err != nil {
		return 0, err
	}
	entries, _, err := t.entries(ctx, stream, "*.*.*.*.*")
	if err != nil {
		return 0, err
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.expires > now.UnixMilli() })
	for i, e := range entries {
		if removed >= limit {
			break
		}
		gone, err := t.remove(ctx, stream, e, now)
		if err != nil {
			return removed, fmt.Errorf("after %d of %d: %w", i, len(entries), t.known(err))
		}
		if gone {
			removed++
		}
	}
	return removed, nil
}

// remove removes the record of an entry if it has expired, and reports whether it did.
func (t *Tasks) remove(ctx context.Context, stream jetstream.Stream, e entry, now time.Time) (bool, error) {
	r, err := t.get(ctx, stream, e.id)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return false, t.orphan(ctx, stream, e)
	case err != nil:
		return false, err
	case !r.Expired(now):
		return false, nil // it was replaced meanwhile
	}
	if err := stream.DeleteMsg(ctx, r.Version); err != nil {
		head, other := t.head(ctx, stream, e.id)
		if errors.Is(other, task.ErrNotFound) || other == nil && head.Sequence != r.Version {
			return false, nil // another one was faster
		}
		return false, err
	}
	return true, stream.Purge(ctx, jetstream.WithPurgeSubject(t.rest(e.id)))
}

// The ids and principals that a store must take are words of a subject.
var (
	validTask      = regexp.MustCompile(fmt.Sprintf(`^[A-Z0-9]{1,%d}$`, task.MaxID))
	validPrincipal = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, task.MaxPrincipal))
)

// encode returns the bytes of a record that is about to be kept.
func (t *Tasks) encode(ctx context.Context, r *task.Record) ([]byte, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !validTask.MatchString(r.ID):
		return nil, errors.New("natsbus: the id of the record is not valid")
	case !validPrincipal.MatchString(r.Principal):
		return nil, errors.New("natsbus: the principal of the record is not valid")
	}
	data, err := r.Encode()
	if err == nil && len(data) > task.MaxRecord {
		err = fmt.Errorf("natsbus: %w: the record has %d bytes, and may have %d", task.ErrFull, len(data), task.MaxRecord)
	}
	return data, err
}
