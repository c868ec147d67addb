package events

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// host implements [event.Host], the engine as [event.Webhooks] sees it.
type host struct{ e *Engine }

var _ event.Host = host{}

func (h host) Logger() *slog.Logger { return h.e.Logger }

func (h host) Record(r event.Record) { h.e.Record(r) }

func (h host) Seal(plain, purpose []byte) []byte {
	return h.e.Box.Seal(plain, append([]byte("event webhook\x00"), purpose...))
}

func (h host) Open(sealed, purpose []byte) ([]byte, error) {
	return h.e.Box.Open(sealed, append([]byte("event webhook\x00"), purpose...))
}

func (h host) LastingKeys() bool { return h.e.LastingKeys() }

func (h host) Cursor(name string, schema int, at event.Position) string {
	return h.e.Cursor(name, schema, at)
}

func (h host) FaultJSON(f *event.Error) []byte {
	return profiles[h.e.Options.Profile].wireError(f).AppendJSON(nil)
}

func (h host) Forget(id string) { h.e.readers.forget(id) }

// recent is how old the state of the log may be for webhooks and polls. After a wake, every state that was read before
// is too old.
const recent = 20 * time.Millisecond

// Read implements [event.Host].
func (h host) Read(ctx context.Context, r *event.Reader, after event.Position, limit int) (event.Batch, error) {
	p := h.e.byName[r.Name]
	switch {
	case p == nil || h.e.served(p.Type)&Webhook == 0:
		return event.Batch{After: after, Ended: event.NoEvent(r.Name)}, nil
	case r.Schema != p.Schema:
		return event.Batch{After: after, Ended: p.schemaFault(r.Schema)}, nil
	}
	s, err := h.e.readers.of(p.Type, r)
	switch {
	case errors.Is(err, errPanic):
		h.e.failed(p, "subscription", r.ID, err)
		return event.Batch{After: after}, err
	case err != nil: // arguments that were valid once
		return event.Batch{After: after, Ended: p.schemaFault(r.Schema)}, nil //nolint:nilerr // it is the end
	}
	b, err := p.collect(ctx, s, after, max(limit, 1), recent)
	if b.Truncated {
		h.e.Counts.Gaps.Add(1)
	}
	return b, err
}

// maxReaders limits how many decoded subscriptions are kept.
const maxReaders = 200_000

// readers keeps the subscribers of webhooks, so that their arguments are decoded once.
type readers struct {
	mu   sync.Mutex
	byID map[string]*reader
}

type reader struct {
	Subscriber
	name string
	args []byte
}

// of returns the subscriber of a reader, with the present rights of its caller.
func (rs *readers) of(t *Type, r *event.Reader) (*Subscriber, error) {
	rs.mu.Lock()
	x := rs.byID[r.ID]
	rs.mu.Unlock()
	if x == nil || x.name != r.Name || !bytes.Equal(x.args, r.Arguments) {
		s, err := t.subscriberOf(r)
		if err != nil {
			return nil, err
		}
		x = &reader{*s, r.Name, bytes.Clone(r.Arguments)}
		rs.keep(r.ID, x)
	}
	s := x.Subscriber
	s.Caller = r.Caller
	return &s, nil
}

// subscriberOf is NewSubscriber outside of a request. A panic in code of the program becomes an error.
func (t *Type) subscriberOf(r *event.Reader) (s *Subscriber, err error) {
	defer caught(&err)
	return t.NewSubscriber(r.Caller, r.Arguments)
}

func (rs *readers) keep(id string, x *reader) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.byID == nil {
		rs.byID = map[string]*reader{}
	}
	for other := range rs.byID {
		if len(rs.byID) < maxReaders {
			break
		}
		delete(rs.byID, other)
	}
	rs.byID[id] = x
}

func (rs *readers) forget(id string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.byID, id)
}
