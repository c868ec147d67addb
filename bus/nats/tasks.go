package natsbus

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

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
// A change takes four requests, and one that creates, ends or removes a task four more for counters. Claim asks for the
// keys of the tasks that work, about 100 bytes each, and Expire for those of all tasks; List asks for those of the
// principal.
type Tasks struct {
	*bucket

	rooms rooms

	mu       sync.Mutex
	counting *firstCount      // nil if nobody counts everything
	ready    []entry          // of tasks that were claimable when Claim has looked last, in their order
	seen     map[entry]*sight // of all tasks that work
}

// sight is what a handle knows of an entry. A renewal of a lease changes the entry, so one that stays is that of an
// owner that is silent.
type sight struct {
	since uint64 // the last sequence of the bucket when it was first seen; its head is not newer
	owned bool   // its task has an owner, as far as it was read
	free  bool   // it has none
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
	head, body, err := r.Encode()
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
	k := &kept{Head: r.Head, text: head}
	k.Size = task.SizeOf(head, body)
	counts := holdingOf(&k.Head)
	if err := t.reserve(ctx, stream, r.Principal, counts, limits); err != nil {
		return err
	}
	err = t.write(ctx, k, body, true, 0)
	if err == nil {
		r.Version, r.Size = k.Version, k.Size
		return nil
	}
	if errors.Is(err, errConflict) || errors.Is(err, task.ErrFull) { // else it may have been written
		err = errors.Join(asExists(err), t.addBoth(ctx, stream, r.Principal, counts, -1))
	}
	return err
}

func asExists(err error) error {
	if errors.Is(err, errConflict) {
		return task.ErrExists
	}
	return err
}

// Head implements [task.Store].
func (t *Tasks) Head(ctx context.Context, id string) (*task.Head, error) {
	stream, err := t.openFor(ctx, id)
	if err != nil {
		return nil, err
	}
	k, err := t.head(ctx, stream, id)
	if err != nil {
		return nil, err
	}
	return &k.Head, nil
}

// openFor opens the bucket to look for a task. An id that cannot be is not found.
func (t *Tasks) openFor(ctx context.Context, id string) (jetstream.Stream, error) {
	if !validTask.MatchString(id) {
		return nil, task.ErrNotFound
	}
	return t.open(ctx)
}

// Get implements [task.Store].
func (t *Tasks) Get(ctx context.Context, id string) (*task.Record, error) {
	stream, err := t.openFor(ctx, id)
	if err != nil {
		return nil, err
	}
	return t.get(ctx, stream, id)
}

// Swap implements [task.Store].
func (t *Tasks) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	k := &kept{Head: *h}
	var body []byte
	if b != nil {
		r := task.Record{Head: *h, Body: *b}
		var err error
		if k.text, body, err = r.Encode(); err != nil {
			return err
		}
	}
	stream, err := t.openFor(ctx, h.ID)
	if err != nil {
		return err
	}
	old, err := t.head(ctx, stream, h.ID)
	switch {
	case err != nil:
		return err
	case old.Version != h.Version:
		return task.ErrChanged
	case old.Principal != h.Principal:
		return errors.New("natsbus: the principal of a record never changes")
	}
	if b == nil {
		err = t.replaceHead(ctx, stream, k, old)
	} else {
		k.Size = task.SizeOf(k.text, body)
		err = t.replace(ctx, stream, k, old, body, limits)
	}
	if err == nil {
		h.Version, h.Size = k.Version, k.Size
	}
	return err
}

// replaceHead writes a head and leaves its body.
func (t *Tasks) replaceHead(ctx context.Context, stream jetstream.Stream, k, old *kept) (err error) {
	if k.text, err = k.EncodeHead(old.text); err != nil {
		return err
	}
	k.body, k.apart = old.body, old.apart
	k.Size = k.size()
	return t.changed(ctx, stream, k, old, t.write(ctx, k, nil, false, old.Version))
}

// replace writes a head and its body.
func (t *Tasks) replace(
	ctx context.Context, stream jetstream.Stream, k, old *kept, body []byte, limits task.Limits,
) error {
	if grows := k.Size - old.Size; grows > task.Slack {
		more := task.Holding{Bytes: rounded(k.Size) - rounded(old.Size)}
		if err := t.reserve(ctx, stream, k.Principal, more, limits); err != nil {
			return err
		}
		counted := *old
		counted.Size = k.Size
		err := t.write(ctx, k, body, true, old.Version)
		if errors.Is(err, errConflict) || errors.Is(err, task.ErrFull) {
			err = errors.Join(err, t.addBoth(ctx, stream, k.Principal, more, -1))
		}
		return t.changed(ctx, stream, k, &counted, err)
	}
	return t.changed(ctx, stream, k, old, t.write(ctx, k, body, true, old.Version))
}

// changed counts what a write has changed.
func (t *Tasks) changed(ctx context.Context, stream jetstream.Stream, k, old *kept, err error) error {
	switch {
	case errors.Is(err, errConflict):
		return task.ErrChanged
	case err != nil:
		return err
	}
	more := holdingOf(&k.Head)
	more.Add(holdingOf(&old.Head), -1)
	if err := t.addBoth(ctx, stream, k.Principal, more, 1); err != nil {
		t.suspect(k.Principal) // what was written is written
		t.suspect("")
	}
	return nil
}

// List implements [task.Store].
func (t *Tasks) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
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
	var out []*task.Head
	for _, id := range idsOf(entries) {
		if len(out) >= limit {
			break
		}
		if id <= after {
			continue
		}
		k, err := t.head(ctx, stream, id)
		if errors.Is(err, task.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if k.Principal == principal {
			out = append(out, &k.Head)
		}
	}
	return out, nil
}

// The ids and principals that a store must take are words of a subject.
var (
	validTask      = regexp.MustCompile(fmt.Sprintf(`^[A-Z0-9]{1,%d}$`, task.MaxID))
	validPrincipal = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, task.MaxPrincipal))
)
