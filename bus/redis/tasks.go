package redisbus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/mcp/task"
)

var _ task.Store = (*Tasks)(nil)

// Tasks is a [task.Store] in Redis, with a hash for each record and sorted sets as indexes. Every change is one script,
// so a reader sees all of it or nothing. It is as durable as the server: with "appendonly yes" and "appendfsync always"
// a change that was confirmed survives a loss of power; a failover to a replica of Redis may lose what came last.
type Tasks struct {
	keys

	turn chan struct{} // who has it looks for room and creates; so one handle exceeds no limit by more than a record
}

// NewTasks returns a store in the keys that begin with prefix in braces, such as "{mcp:notes:tasks}:". So a cluster
// keeps all of them on one server. All replicas of one server name the same prefix. The error names an option of the
// client that does not do.
func NewTasks(client redis.UniversalClient, prefix string) (*Tasks, error) {
	keys, err := keysOf(client, prefix, "tasks")
	if err != nil {
		return nil, err
	}
	return &Tasks{keys: keys, turn: make(chan struct{}, 1)}, nil
}

// Create implements [task.Store].
func (s *Tasks) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	head, body, err := r.Encode()
	if err = errors.Join(ctx.Err(), err); err != nil {
		return err
	}
	size := task.SizeOf(head, body)
	leave, err := s.room(ctx, &r.Head, task.Holding{Tasks: 1, Bytes: size}, limits)
	if err != nil {
		return err
	}
	defer leave()
	r.Version = 0
	return s.put(ctx, &r.Head, content{head: head, body: body, size: size})
}

// Head implements [task.Store].
func (s *Tasks) Head(ctx context.Context, id string) (*task.Head, error) {
	f, err := s.fields(ctx, id, "h", "v", "z")
	if err != nil {
		return nil, err
	}
	return decodeHead(id, f[0], f[1], f[2])
}

// Get implements [task.Store].
func (s *Tasks) Get(ctx context.Context, id string) (*task.Record, error) {
	f, err := s.fields(ctx, id, "h", "v", "z", "b")
	if err != nil {
		return nil, err
	}
	r := new(task.Record)
	if r.Version, r.Size, err = numbers(id, f[1], f[2]); err != nil {
		return nil, err
	}
	return r, r.Decode([]byte(f[0]), []byte(f[3]))
}

// fields returns fields of a record.
func (s *Tasks) fields(ctx context.Context, id string, names ...string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values, err := s.client.HMGet(ctx, s.prefix+"r:"+id, names...).Result()
	if err != nil {
		return nil, failed(err)
	}
	if values[0] == nil {
		return nil, task.ErrNotFound
	}
	return texts(values), nil
}

// Swap implements [task.Store].
func (s *Tasks) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	f, err := s.fields(ctx, h.ID, "v", "z", "l", "h")
	if err != nil {
		return err
	}
	version, size, err := numbers(h.ID, f[0], f[1])
	if err != nil {
		return err
	}
	if version != h.Version {
		return task.ErrChanged
	}
	if b == nil {
		return s.swapHead(ctx, h, f[3], f[2])
	}
	r := task.Record{Head: *h, Body: *b}
	head, body, err := r.Encode()
	if err != nil {
		return err
	}
	t := content{head: head, body: body, size: task.SizeOf(head, body)}
	if t.size-size > task.Slack {
		leave, err := s.room(ctx, h, task.Holding{Bytes: t.size - size}, limits)
		if err != nil {
			return err
		}
		defer leave()
	}
	return s.put(ctx, h, t)
}

// swapHead writes a head beside a body of so many bytes.
func (s *Tasks) swapHead(ctx context.Context, h *task.Head, old, length string) error {
	n, err := strconv.ParseInt(length, 10, 64)
	if err != nil {
		return fmt.Errorf("redisbus: the task %s has a body of %q bytes", h.ID, length)
	}
	head, err := h.EncodeHead([]byte(old))
	if err != nil {
		return err
	}
	return s.put(ctx, h, content{head: head, keep: true, size: max(int64(len(head))+n, task.Slack)})
}

// Claim implements [task.Store].
func (s *Tasks) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	args := []any{c.Now.UnixMilli(), c.Still, c.Owned}
	for _, principal := range c.Except {
		args = append(args, principal)
	}
	for {
		values, err := s.run(ctx, find, args...).Slice()
		if err != nil {
			return nil, 0, failed(err)
		}
		f := texts(values)
		latest, err := strconv.ParseUint(f[0], 10, 64)
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("redisbus: the version of tasks: %w", err)
		case len(f) == 1:
			return nil, latest, task.ErrNotFound
		}
		h, err := decodeHead(f[1], f[2], f[3], f[4])
		if err != nil {
			return nil, latest, err
		}
		h.Lease(c.Owner, c.Until)
		err = s.swapHead(ctx, h, f[2], f[5])
		if errors.Is(err, task.ErrChanged) || errors.Is(err, task.ErrNotFound) {
			continue // somebody else was faster: look for another one
		}
		return h, latest, err
	}
}

// List implements [task.Store].
func (s *Tasks) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
	from := "-"
	if after != "" {
		from = "(" + after
	}
	rows, err := s.run(ctx, page, principal, from, max(limit, 0)).Slice()
	if err != nil {
		return nil, failed(err)
	}
	heads := make([]*task.Head, 0, len(rows))
	for _, row := range rows {
		values, _ := row.([]any)
		f := texts(values)
		h, err := decodeHead(f[0], f[1], f[2], f[3])
		if err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	return heads, nil
}

// Expire implements [task.Store].
func (s *Tasks) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	return s.expire(ctx, expire, now, limit)
}

// room waits for the turn of the caller and makes room for more of the principal of h. The caller calls leave once it
// has written.
func (s *Tasks) room(
	ctx context.Context, h *task.Head, more task.Holding, limits task.Limits,
) (leave func(), err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		var id string
		if id, err = s.short(ctx, h, more, limits); err == nil && id == "" {
			return func() { <-s.turn }, nil
		}
		if err == nil {
			err = failed(s.run(ctx, remove, id).Err())
		}
		if err != nil {
			<-s.turn
			return nil, err
		}
	}
}

// short returns the id of a task that is to be removed so that there is room for more; "" if there is room.
func (s *Tasks) short(ctx context.Context, h *task.Head, more task.Holding, limits task.Limits) (string, error) {
	rows, err := s.run(ctx, holdings, h.Principal).Slice()
	if err != nil {
		return "", failed(err)
	}
	own, all := holding(rows[0]), holding(rows[1])
	if err := limits.Check(own, all, more); err == nil || errors.Is(err, task.ErrPrincipalFull) {
		return "", err
	}
	amount := limits.Short(all, more)
	most, oldest := amount(own), ""
	for i := 2; i+1 < len(rows); i += 2 {
		ids, _ := rows[i+1].([]any)
		for _, id := range texts(ids) {
			if n := amount(holding(rows[i])); id != h.ID && (n > most || n == most && oldest == "") {
				most, oldest = n, id
			}
		}
	}
	if oldest == "" {
		return "", task.ErrFull
	}
	return oldest, nil
}

// content is what put writes: the texts of a record and what they count for.
type content struct {
	head, body []byte
	keep       bool // the body stays as it is
	size       int64
}

// put writes a record in place of the version h.Version, which is 0 if there is none, and sets h.Version and h.Size.
func (s *Tasks) put(ctx context.Context, h *task.Head, t content) error {
	expected, status := "", string(h.Status)
	if h.Version != 0 {
		expected = strconv.FormatUint(h.Version, 10)
	}
	if h.Status.Final() {
		status = "final"
	}
	version, err := s.run(ctx, put, h.ID, newVersion(), expected, t.head, t.keep, t.body, t.size, h.Principal, status,
		h.Owner, h.LeaseUntil.UnixMilli(), h.Expires.UnixMilli()).Int64()
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "OOM "):
		return fmt.Errorf("%w: %w", task.ErrFull, err)
	case err != nil:
		return failed(err)
	case version == -1:
		return task.ErrExists
	case version == -2:
		return task.ErrNotFound
	case version == -3:
		return task.ErrChanged
	case version < 0:
		return errors.New("redisbus: the principal of a record never changes")
	}
	h.Version, h.Size = uint64(version), t.size
	return nil
}

// texts returns the texts of an answer; one that is not there is "".
func texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i], _ = v.(string)
	}
	return out
}

func holding(row any) task.Holding {
	values, _ := row.([]any)
	var n [4]int64
	for i, text := range texts(values) {
		n[i], _ = strconv.ParseInt(text, 10, 64) // 0 if the principal has nothing
	}
	return task.Holding{Tasks: int(n[0]), Ended: int(n[1]), Bytes: n[2], EndedBytes: n[3]}
}

func numbers(id, version, size string) (v uint64, z int64, err error) {
	v, err = strconv.ParseUint(version, 10, 64)
	z, wrong := strconv.ParseInt(size, 10, 64)
	if err = errors.Join(err, wrong); err != nil {
		err = fmt.Errorf("redisbus: the numbers of task %s: %w", id, err)
	}
	return v, z, err
}

func decodeHead(id, head, version, size string) (h *task.Head, err error) {
	h = new(task.Head)
	if h.Version, h.Size, err = numbers(id, version, size); err != nil {
		return nil, err
	}
	return h, h.DecodeHead([]byte(head))
}
