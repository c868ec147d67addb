package natsbus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/event"
)

var _ event.Log = (*Events)(nil)

// EventsOptions are the properties of streams that are made. The zero value is a stream in a file on one server.
type EventsOptions struct {
	Replicas int                   // how many servers of the cluster keep each event; 0 is 1
	Storage  jetstream.StorageType // file or memory
}

// Events is an [event.Log] in JetStream, with a stream for each name of an event. It is as durable as the streams: one
// in a file survives kill -9 of the server; for a loss of power see sync_interval of the server, or use replicas. An id
// counts as held for as long as events are kept, also when the number of events has pushed its event out.
//
// All requests go to the leader of a stream, so they see every event. The zero value is of no use.
type Events struct {
	js      jetstream.JetStream
	prefix  string
	options EventsOptions

	mu      sync.Mutex
	streams map[string]*eventStream // that are known to exist, by the name of the event
}

// eventStream is a stream that exists.
type eventStream struct {
	jetstream.Stream

	keep event.Retention
}

// NewEvents returns a log whose streams begin with a prefix of letters, digits, - and _. All replicas name the same
// one. It does not wait for a server.
func NewEvents(js jetstream.JetStream, prefix string, options EventsOptions) (*Events, error) {
	if js == nil {
		return nil, errors.New("natsbus: there is no JetStream")
	}
	if !bucketName.MatchString(prefix) {
		return nil, fmt.Errorf("natsbus: %q is no prefix of streams: want letters, digits, - and _", prefix)
	}
	return &Events{js: js, prefix: prefix, options: options, streams: map[string]*eventStream{}}, nil
}

// Lasting implements [event.Log].
func (l *Events) Lasting() bool { return true }

// The headers of a message.
const (
	headerTime  = "Mcp-Time"
	headerKept  = "Mcp-Kept"
	headerCause = "Mcp-Cause"
)

// Append implements [event.Log].
func (l *Events) Append(ctx context.Context, name string, e *event.Entry, keep event.Retention) error {
	s, err := l.open(ctx, name, keep.WithDefaults())
	if err != nil {
		return err
	}
	m := nats.NewMsg(s.CachedInfo().Config.Subjects[0])
	m.Data = e.Data
	m.Header.Set(headerTime, strconv.FormatInt(e.Time.UnixMilli(), 10))
	m.Header.Set(headerKept, strconv.FormatInt(e.Kept.UnixMilli(), 10))
	m.Header.Set(headerCause, e.Cause)
	ack, err := l.js.PublishMsg(ctx, m, jetstream.WithMsgID(e.ID), jetstream.WithExpectStream(s.CachedInfo().Config.Name))
	switch {
	case errors.Is(err, nats.ErrMaxPayload), isTooLarge(err):
		return fmt.Errorf("natsbus: %w: %w", event.ErrRefused, err)
	case err != nil:
		return l.failed(name, err)
	}
	e.Seq = ack.Sequence
	if ack.Duplicate {
		return event.ErrDuplicate
	}
	return nil
}

// isTooLarge reports whether a stream takes no message of that size (MaxMsgSize).
func isTooLarge(err error) bool {
	refused, ok := errors.AsType[*jetstream.APIError](err)
	return ok && refused.ErrorCode == 10054
}

// Bounds of what is read at once: entries, and bytes of data.
const (
	readTogether = 32
	pageBytes    = 1 << 20
)

// Read implements [event.Log]. The state of the stream comes before the entries: it tells of none that are missing.
func (l *Events) Read(ctx context.Context, name string, after uint64, limit int) (event.Page, error) {
	s, err := l.open(ctx, name, event.Retention{})
	if err != nil {
		return event.Page{}, err
	}
	info, err := s.Info(ctx)
	if err != nil {
		return event.Page{}, l.failed(name, err)
	}
	p := event.Page{Epoch: epochOf(info), First: info.State.FirstSeq, Last: info.State.LastSeq}
	if info.State.Msgs == 0 {
		p.First = p.Last + 1
	}
	next := max(after+1, p.First)
	for size := 0; size < pageBytes && len(p.Entries) < limit && next <= p.Last; {
		n := int(min(readTogether, uint64(limit-len(p.Entries)), p.Last-next+1))
		some, err := l.entries(ctx, s, next, n)
		if err != nil {
			return event.Page{}, l.failed(name, err)
		}
		next += uint64(n)
		for _, e := range some {
			if size < pageBytes {
				p.Entries = append(p.Entries, e)
				size += len(e.Data)
			}
		}
	}
	return p, nil
}

// entries returns those of n places from one on that are held.
func (l *Events) entries(ctx context.Context, s *eventStream, from uint64, n int) ([]event.Entry, error) {
	list := make([]event.Entry, n)
	err := together(n, func(i int) error {
		m, err := s.GetMsg(ctx, from+uint64(i))
		if errors.Is(err, jetstream.ErrMsgNotFound) { // it has expired meanwhile
			return nil
		}
		if err == nil {
			list[i] = eventOf(m)
		}
		return err
	})
	return slices.DeleteFunc(list, func(e event.Entry) bool { return e.Seq == 0 }), err
}

func eventOf(m *jetstream.RawStreamMsg) event.Entry {
	at := func(header string) time.Time {
		n, _ := strconv.ParseInt(m.Header.Get(header), 10, 64) // that of a foreign message is 1970
		return time.UnixMilli(n).UTC()
	}
	return event.Entry{
		Seq: m.Sequence, ID: m.Header.Get(jetstream.MsgIDHeader), Time: at(headerTime), Kept: at(headerKept), Data: m.Data,
		Cause: m.Header.Get(headerCause),
	}
}

// epochOf is the time when a stream was made: one that takes its place has another one.
func epochOf(info *jetstream.StreamInfo) string {
	return strconv.FormatInt(info.Created.UnixNano(), 36)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9-]`)

// config returns what the stream of a name is like.
func (l *Events) config(name string, keep event.Retention) jetstream.StreamConfig {
	sum := sha256.Sum256([]byte(name))
	readable := notInNames.ReplaceAllString(name, "_")
	stream := l.prefix + "_" + readable[:min(len(readable), 64)] + "_" + hex.EncodeToString(sum[:6])
	return jetstream.StreamConfig{
		Name: stream, Subjects: []string{"mcp.events." + stream}, Description: "events of an MCP server: " + name,
		MaxAge: keep.For, MaxMsgs: int64(keep.Most), Duplicates: keep.For, Discard: jetstream.DiscardOld,
		Replicas: max(l.options.Replicas, 1), Storage: l.options.Storage,
	}
}

// open returns the stream of a name, and makes it if there is none. It keeps as much as keep says, unless that is zero.
func (l *Events) open(ctx context.Context, name string, keep event.Retention) (*eventStream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	s := l.streams[name]
	l.mu.Unlock()
	if s != nil && (keep == event.Retention{} || s.keep == keep) {
		return s, nil
	}
	c := l.config(name, keep.WithDefaults())
	stream, err := l.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = l.js.CreateStream(ctx, c)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another replica was faster
			stream, err = l.js.Stream(ctx, c.Name)
		}
	}
	if err != nil {
		return nil, l.failed(name, err)
	}
	now := stream.CachedInfo().Config
	held := event.Retention{For: now.MaxAge, Most: int(now.MaxMsgs)}
	if (keep != event.Retention{}) && held != keep {
		now.MaxAge, now.MaxMsgs, now.Duplicates = c.MaxAge, c.MaxMsgs, c.Duplicates
		if stream, err = l.js.UpdateStream(ctx, now); err != nil {
			return nil, l.failed(name, err)
		}
		held = keep
	}
	s = &eventStream{Stream: stream, keep: held}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams[name] = s
	return s, nil
}

// failed wraps an error. The stream may be gone with the server that had it; the next use makes it.
func (l *Events) failed(name string, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.streams, name)
	return fmt.Errorf("natsbus: events %s: %w", name, err)
}
