package natsbus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/internal/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// The keys of a task. The record is in the head, whose sequence is its version. An entry is an empty message whose key
// has what is looked for:
//
//	head   t.ID
//	entry  w.ID.DUE.PRINCIPAL.EXPIRES of a task that works, o.ID.… of the others; both times in milliseconds
//	chunk  d.ID.WRITE.NUMBER of a record that is too large for one message
//
// A writer writes the entry, then the chunks, then the head if it still has the version that the writer knows, and then
// removes the entries and chunks of the task that are older than its own entry. So there is always an entry of what the
// head says, whoever dies when. The other entries and chunks are of no use if they are older than the head: who wrote
// them was replaced, or will find that the head has changed. Those that are newer belong to a write that goes on or was
// refused, and are removed by the next one.
const (
	heads   = "t."
	working = "w."
	others  = "o."
	chunks  = "d."
)

const (
	// chunkSize is how much of a record is in one message.
	chunkSize = 512 << 10
	// chunkHeader says in the head where the record is: the number of chunks, and their WRITE.
	chunkHeader = "Mcp-Task-Chunks"
	// orphanAge is when an entry without a head is given up: no write takes as long.
	orphanAge = time.Hour
)

// errConflict means that the head has another version than was expected.
var errConflict = errors.New("natsbus: the head has changed")

// entry is what a key of an entry says.
type entry struct {
	working      bool
	id           string
	due, expires int64
	principal    string
}

func entryOf(r *task.Record) entry {
	e := entry{id: r.ID, principal: r.Principal, expires: millis(r.Expires), working: r.Status == task.Working}
	if e.working {
		e.due = millis(r.LeaseUntil)
	}
	return e
}

// millis returns a time as keys have it; times before 1970 are equal.
func millis(t time.Time) int64 {
	if t.Year() < 1970 {
		return 0
	}
	return t.UnixMilli()
}

func (e entry) key() string {
	prefix := others
	if e.working {
		prefix = working
	}
	return fmt.Sprintf("%s%s.%d.%s.%d", prefix, e.id, e.due, e.principal, e.expires)
}

func parseEntry(key string) (entry, bool) {
	words := strings.Split(key, ".")
	if len(words) != 5 {
		return entry{}, false
	}
	due, err := strconv.ParseInt(words[2], 10, 64)
	expires, other := strconv.ParseInt(words[4], 10, 64)
	e := entry{working: words[0]+"." == working, id: words[1], due: due, principal: words[3], expires: expires}
	return e, err == nil && other == nil
}

// entries returns the entries whose keys match a filter, in no order, and how many subjects the bucket has.
func (t *Tasks) entries(ctx context.Context, stream jetstream.Stream, filter string) ([]entry, uint64, error) {
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(t.subject+filter))
	if err != nil {
		return nil, 0, t.failed(err)
	}
	out := make([]entry, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		if e, ok := parseEntry(strings.TrimPrefix(subject, t.subject)); ok {
			out = append(out, e)
		}
	}
	return out, info.State.NumSubjects, nil
}

// idsOf returns the ids of entries in their order, each once.
func idsOf(entries []entry) []string {
	ids := make([]string, 0, len(entries))
	for _, e := range entries {
		ids = append(ids, e.id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rest is a filter for the entries and chunks of a task.
func (t *Tasks) rest(id string) string { return t.subject + "*." + id + ".>" }

// write writes a record whose head has a version, or none if that is 0, and returns the new version. The error is
// errConflict if the head has another one.
func (t *Tasks) write(ctx context.Context, r *task.Record, data []byte, version uint64) (uint64, error) {
	ack, err := t.js.Publish(ctx, t.subject+entryOf(r).key(), nil)
	if err != nil {
		return 0, t.known(err)
	}
	begun := ack.Sequence
	head := &nats.Msg{Subject: t.subject + heads + r.ID, Data: data}
	if len(data) > chunkSize {
		write, n := rand.Text(), 0
		for part := range slices.Chunk(data, chunkSize) {
			if _, err := t.js.Publish(ctx, fmt.Sprintf("%s%s%s.%s.%d", t.subject, chunks, r.ID, write, n), part); err != nil {
				return 0, t.known(err)
			}
			n++
		}
		head.Data = nil
		head.Header = nats.Header{chunkHeader: {strconv.Itoa(n), write}}
	}
	ack, err = t.js.PublishMsg(ctx, head, jetstream.WithExpectLastSequencePerSubject(version))
	if isConflict(err) {
		return 0, errConflict
	}
	if err != nil {
		return 0, t.known(err)
	}
	if version > 0 {
		if failpoint.On("nats-task-unfindable") {
			begun++ // its own entry too
		}
		// If this fails, the next write does it.
		if stream, err := t.open(ctx); err == nil {
			_ = stream.Purge(ctx, jetstream.WithPurgeSubject(t.rest(r.ID)), jetstream.WithPurgeSequence(begun))
		}
	}
	return ack.Sequence, nil
}

// head returns the head of a task.
func (t *Tasks) head(ctx context.Context, stream jetstream.Stream, id string) (*jetstream.RawStreamMsg, error) {
	msg, err := stream.GetLastMsgForSubject(ctx, t.subject+heads+id)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, task.ErrNotFound
	}
	if err != nil {
		return nil, t.failed(err)
	}
	return msg, nil
}

// get reads a record.
func (t *Tasks) get(ctx context.Context, stream jetstream.Stream, id string) (*task.Record, error) {
	for last := uint64(0); ; {
		head, err := t.head(ctx, stream, id)
		if err != nil {
			return nil, err
		}
		data := head.Data
		if parts := head.Header[chunkHeader]; len(parts) == 2 {
			data, err = t.join(ctx, stream, id, parts)
			if errors.Is(err, jetstream.ErrMsgNotFound) && head.Sequence != last {
				last = head.Sequence // it was replaced while it was read
				continue
			}
			if err != nil {
				return nil, t.failed(err)
			}
		}
		r := &task.Record{Version: head.Sequence}
		if err := r.Decode(data); err != nil {
			return nil, t.failed(err)
		}
		return r, nil
	}
}

// join reads the chunks of a record.
func (t *Tasks) join(ctx context.Context, stream jetstream.Stream, id string, parts []string) ([]byte, error) {
	n, err := strconv.Atoi(parts[0])
	if err != nil || n > task.MaxRecord/chunkSize+1 {
		return nil, errors.New("the head of a task is damaged")
	}
	var data []byte
	for i := range n {
		msg, err := stream.GetLastMsgForSubject(ctx, fmt.Sprintf("%s%s%s.%s.%d", t.subject, chunks, id, parts[1], i))
		if err != nil {
			return nil, err
		}
		data = append(data, msg.Data...)
	}
	return data, nil
}

// orphan removes what a task without a head has, if it is old: who wrote it has died before the head was written, or
// while the task was removed.
func (t *Tasks) orphan(ctx context.Context, stream jetstream.Stream, e entry) error {
	msg, err := stream.GetLastMsgForSubject(ctx, t.subject+e.key())
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil || time.Since(msg.Time) < orphanAge {
		return err
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject(t.rest(e.id)))
}

// known returns errors of package task as they are, and others as those of the bucket.
func (t *Tasks) known(err error) error {
	api := (*jetstream.APIError)(nil)
	switch {
	case errors.Is(err, task.ErrNotFound), errors.Is(err, task.ErrChanged), errors.Is(err, task.ErrFull):
		return err
	case errors.As(err, &api) && isFull(api):
		return fmt.Errorf("%w: %w", task.ErrFull, t.failed(err))
	}
	return t.failed(err)
}

// isFull reports whether the bucket, or what the account may have, has no room for a message.
func isFull(err *jetstream.APIError) bool {
	return strings.Contains(err.Description, "maximum") || strings.Contains(err.Description, "insufficient")
}
