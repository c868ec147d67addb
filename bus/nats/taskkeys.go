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

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// The keys of a task. The first text of the record is in the head, whose sequence is its version. The second, if there
// is one, is in chunks. An entry is an empty message whose key has what is looked for:
//
//	head   t.ID
//	entry  w.ID.DUE.PRINCIPAL.EXPIRES of a task that works, both times in milliseconds
//	entry  o.ID.SIZE.PRINCIPAL.EXPIRES of the others; SIZE is what one that has ended counts for, 1 if it has not ended
//	chunk  d.ID.WRITE.NUMBER of a body
//
// A writer writes the entry, then the chunks, then the head if it still has the version that the writer knows, and then
// removes the entries and, if it has written the body, the chunks of the task that are older than its own entry. So
// there is always an entry of what the head says, whoever dies when. The other entries and chunks are of no use if they
// are older than the head: who wrote them was replaced, or will find that the head has changed. Those that are newer
// belong to a write that goes on or was refused, and are removed by the next one.
//
// Older releases keep large records as one text in chunks, which [wholeHeader] says, and 0 for SIZE. They find and run
// what they can read: what is small.
const (
	heads   = "t."
	working = "w."
	others  = "o."
	chunks  = "d."
)

const (
	// chunkSize is how much of a record is in one message.
	chunkSize = 512 << 10
	// bodyHeader says in the head where the body is: the number of chunks, their WRITE, and how many bytes they have.
	bodyHeader = "Mcp-Task-Body"
	// wholeHeader says the same of a record of an older release, without the bytes.
	wholeHeader = "Mcp-Task-Chunks"
	// orphanAge is when an entry without a head is given up: no write takes as long.
	orphanAge = time.Hour
)

// errConflict means that a key has another version than was expected.
var errConflict = errors.New("natsbus: the key has changed")

// entry is what a key of an entry says.
type entry struct {
	working   bool
	id        string
	due       int64 // or the size
	expires   int64
	principal string
}

// notEnded is the size of a task that waits for its client.
const notEnded = 1

func entryOf(h *task.Head) entry {
	e := entry{id: h.ID, principal: h.Principal, expires: millis(h.Expires), working: h.Status == task.Working}
	switch {
	case e.working:
		e.due = millis(h.LeaseUntil)
	case h.Status.Final():
		e.due = rounded(h.Size)
	default:
		e.due = notEnded
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

// look is the last sequence of the bucket at a time of the server.
type look struct {
	latest uint64
	at     time.Time
}

// entries returns the entries whose keys match a filter, in no order.
func (t *Tasks) entries(ctx context.Context, stream jetstream.Stream, filter string) ([]entry, look, error) {
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(t.subject+filter))
	if err != nil {
		return nil, look{}, t.failed(err)
	}
	out := make([]entry, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		if e, ok := parseEntry(strings.TrimPrefix(subject, t.subject)); ok {
			out = append(out, e)
		}
	}
	return out, look{info.State.LastSeq, info.TimeStamp}, nil
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

// rest is a filter for the entries and chunks of a task, and entriesOf one for its entries.
func (t *Tasks) rest(id string) string      { return t.subject + "*." + id + ".>" }
func (t *Tasks) entriesOf(id string) string { return t.subject + "*." + id + ".*.*.*" }

// kept is a head as the bucket has it.
type kept struct {
	task.Head

	text  []byte
	body  []string // the value of bodyHeader; nil if the body is in text
	apart int      // how many bytes it has then
}

// size is task.SizeOf.
func (k *kept) size() int64 { return max(int64(len(k.text)+k.apart), task.Slack) }

// write writes a head whose body is in the bucket already, or is written before if it is new. The head in the bucket
// must have a version, or there must be none if that is 0; otherwise the error is errConflict. It sets the version.
func (t *Tasks) write(ctx context.Context, k *kept, body []byte, isNew bool, version uint64) error {
	ack, err := t.js.Publish(ctx, t.subject+entryOf(&k.Head).key(), nil)
	if err != nil {
		return t.known(err)
	}
	begun := ack.Sequence
	if len(body) > 0 {
		write, n := rand.Text(), 0
		for part := range slices.Chunk(body, chunkSize) {
			if _, err := t.js.Publish(ctx, fmt.Sprintf("%s%s%s.%s.%d", t.subject, chunks, k.ID, write, n), part); err != nil {
				return t.known(err)
			}
			n++
		}
		k.body, k.apart = []string{strconv.Itoa(n), write, strconv.Itoa(len(body))}, len(body)
	}
	head := &nats.Msg{Subject: t.subject + heads + k.ID, Data: k.text}
	if k.body != nil {
		head.Header = nats.Header{bodyHeader: k.body}
	}
	ack, err = t.js.PublishMsg(ctx, head, jetstream.WithExpectLastSequencePerSubject(version))
	if isConflict(err) {
		return errConflict
	}
	if err != nil {
		return t.known(err)
	}
	k.Version = ack.Sequence
	if version > 0 {
		old := t.entriesOf(k.ID)
		if isNew {
			old = t.rest(k.ID)
		}
		if failpoint.On("nats-task-unfindable") {
			begun++ // its own entry too
		}
		// If this fails, the next write does it.
		if stream, err := t.open(ctx); err == nil {
			_ = stream.Purge(ctx, jetstream.WithPurgeSubject(old), jetstream.WithPurgeSequence(begun))
		}
	}
	return nil
}

// head reads the head of a task.
func (t *Tasks) head(ctx context.Context, stream jetstream.Stream, id string) (*kept, error) {
	for last := uint64(0); ; {
		msg, err := stream.GetLastMsgForSubject(ctx, t.subject+heads+id)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, task.ErrNotFound
		}
		if err != nil {
			return nil, t.failed(err)
		}
		k := &kept{text: msg.Data}
		k.Version = msg.Sequence
		if parts := msg.Header[wholeHeader]; len(parts) == 2 {
			k.text, err = t.join(ctx, stream, id, parts)
			if errors.Is(err, jetstream.ErrMsgNotFound) && msg.Sequence != last {
				last = msg.Sequence // it was replaced while it was read
				continue
			}
		}
		if parts := msg.Header[bodyHeader]; len(parts) == 3 && err == nil {
			k.body = parts
			k.apart, err = strconv.Atoi(parts[2])
		}
		k.Size = k.size()
		if err := errors.Join(err, k.DecodeHead(k.text)); err != nil {
			return nil, t.failed(err)
		}
		return k, nil
	}
}

// get reads a record.
func (t *Tasks) get(ctx context.Context, stream jetstream.Stream, id string) (*task.Record, error) {
	for last := uint64(0); ; {
		k, err := t.head(ctx, stream, id)
		if err != nil {
			return nil, err
		}
		var body []byte
		if k.body != nil {
			body, err = t.join(ctx, stream, id, k.body)
			if errors.Is(err, jetstream.ErrMsgNotFound) && k.Version != last {
				last = k.Version // it was replaced while it was read
				continue
			}
		}
		r := &task.Record{Head: task.Head{Version: k.Version, Size: k.Size}}
		if err == nil {
			err = r.Decode(k.text, body)
		}
		if err != nil {
			return nil, t.failed(err)
		}
		return r, nil
	}
}

// join reads chunks.
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

// orphan removes what a task without a head has, if it is old at a time of the server: who wrote it has died before the
// head was written, or while the task was removed. The clock of this process does not matter.
func (t *Tasks) orphan(ctx context.Context, stream jetstream.Stream, e entry, now time.Time) error {
	msg, err := stream.GetLastMsgForSubject(ctx, t.subject+e.key())
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil || now.Sub(msg.Time) < orphanAge {
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
