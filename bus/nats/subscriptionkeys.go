package natsbus

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// The keys of a subscription, where HASH is that of its principal. Those of the first two are in the bucket of records:
//
//	s.ID.SHARD.HASH  the record; the sequence of the message is its version
//	o.ID.SHARD.HASH  an empty message, if the record is not live
//	p.ID             its progress, in the other bucket
//
// So the number of messages tells how many there are, and a few keys which of them are not live. Whoever dies when,
// there are never more messages of the second kind than records that are not live, but for a replica that stands still
// between two messages.
//
// A record has the progress with which its life has begun. It counts until there is a message of that life, so a new
// life is one message.
const (
	record      = "s."
	over        = "o."
	progressKey = "p."
)

// The headers of a record: what is to be known without reading it.
const (
	headerPrincipal = "Mcp-Principal" // in base64url
	headerBirth     = "Mcp-Birth"     // not if it is the version
	headerExpires   = "Mcp-Expires"   // milliseconds since 1970; not for never
	headerLive      = "Mcp-Live"      // "1", or not
)

// content is what a record holds.
type content struct {
	Subscription *event.Subscription
	Begin        *event.Progress // with which this life has begun
}

// held is a record as the bucket has it. One that is not there has the version 0.
type held struct {
	id, hash  string
	shard     int
	version   uint64
	birth     uint64
	principal string
	expires   int64 // 0 for never
	live      bool
	text      []byte // JSON of content
}

// validSubscription is an id that is one word of a subject.
var validSubscription = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, event.MaxSubscriptionID))

// key is what the keys of a record have in common.
func (h *held) key() string { return fmt.Sprintf("%s.%d.%s", h.id, h.shard, h.hash) }

// idOf returns the id in a key.
func idOf(key string) string {
	id, _, _ := strings.Cut(key, ".")
	return id
}

// hashOf is a word of a subject for a principal, whose name may have any characters.
func hashOf(principal string) string {
	sum := sha256.Sum256([]byte(principal))
	return base64.RawURLEncoding.EncodeToString(sum[:15])
}

// heldOf reads the headers of a record. It returns nil for a message of somebody else.
func (s *Subscriptions) heldOf(m *jetstream.RawStreamMsg) *held {
	words := strings.Split(strings.TrimPrefix(m.Subject, s.records.subject), ".")
	if len(words) != 4 {
		return nil
	}
	h := &held{id: words[1], hash: words[3], version: m.Sequence, live: m.Header.Get(headerLive) != "", text: m.Data}
	h.shard, _ = strconv.Atoi(words[2]) // a record of somebody else is damaged
	h.expires, _ = strconv.ParseInt(m.Header.Get(headerExpires), 10, 64)
	if h.birth, _ = strconv.ParseUint(m.Header.Get(headerBirth), 10, 64); h.birth == 0 {
		h.birth = h.version
	}
	principal, _ := base64.RawURLEncoding.DecodeString(m.Header.Get(headerPrincipal))
	h.principal = string(principal)
	return h
}

// find returns the record under an id.
func (s *Subscriptions) find(ctx context.Context, stream jetstream.Stream, id string) (*held, error) {
	m, err := stream.GetLastMsgForSubject(ctx, s.records.subject+record+id+".*.*")
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return new(held), nil
	}
	if err != nil {
		return nil, s.records.failed(err)
	}
	h := s.heldOf(m)
	if h == nil {
		return nil, s.records.failed(fmt.Errorf("%s is no key of a subscription", m.Subject))
	}
	return h, nil
}

// write writes a record in the place of another one. With p a new life begins.
func (s *Subscriptions) write(
	ctx context.Context, sub *event.Subscription, p *event.Progress, old *held,
) (*held, error) {
	next := &held{
		id: sub.ID, hash: hashOf(sub.Principal), shard: sub.Shard, birth: old.birth, live: sub.State == event.Live,
	}
	if old.version > 0 && old.key() != next.key() {
		return nil, errors.New("natsbus: the shard and the principal of a subscription never change")
	}
	c := content{sub, p}
	if p != nil {
		next.birth = 0
	} else if before, _ := old.content(); before != nil {
		c.Begin = before.Begin
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	m := nats.NewMsg(s.records.subject + record + next.key())
	m.Data = text
	m.Header.Set(headerPrincipal, base64.RawURLEncoding.EncodeToString([]byte(sub.Principal)))
	if next.birth > 0 {
		m.Header.Set(headerBirth, strconv.FormatUint(next.birth, 10))
	}
	if !sub.Expires.IsZero() {
		m.Header.Set(headerExpires, strconv.FormatInt(sub.Expires.UnixMilli(), 10))
	}
	if next.live {
		m.Header.Set(headerLive, "1")
	}
	ack, err := s.records.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(old.version))
	if isConflict(err) {
		return nil, event.ErrChanged
	}
	if err != nil {
		return nil, s.records.failed(err)
	}
	next.version = ack.Sequence
	if next.birth == 0 {
		next.birth = ack.Sequence
	}
	return next, nil
}

// content reads a record.
func (h *held) content() (*content, error) {
	c := &content{}
	if h.version == 0 {
		return nil, nil
	}
	err := json.Unmarshal(h.text, c)
	if err == nil && (c.Subscription == nil || c.Subscription.ID != h.id) {
		err = errors.New("the record is that of another one")
	}
	if err != nil {
		return nil, err
	}
	if c.Begin == nil {
		c.Begin = new(event.Progress)
	}
	c.Subscription.Version, c.Subscription.Birth = h.version, h.birth
	c.Begin.ID, c.Begin.Birth = h.id, h.birth
	return c, nil
}

// progressOf returns the progress that was saved for a subscription, nil if there is none that can be read, and the
// sequence of its message.
func (s *Subscriptions) progressOf(
	ctx context.Context, stream jetstream.Stream, id string,
) (p *event.Progress, version uint64, err error) {
	m, err := stream.GetLastMsgForSubject(ctx, s.progress.subject+progressKey+id)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, s.progress.failed(err)
	}
	if p = new(event.Progress); json.Unmarshal(m.Data, p) != nil {
		p = nil // the life goes on where it has begun
	}
	return p, m.Sequence, nil
}

// stored adds progress to records. What is wrong with a record is the damage of this one subscription.
func (s *Subscriptions) stored(ctx context.Context, records []*held) ([]event.Stored, error) {
	if len(records) == 0 {
		return nil, nil
	}
	stream, err := s.progress.open(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]event.Stored, len(records))
	err = together(len(records), func(i int) error {
		h := records[i]
		p, _, err := s.progressOf(ctx, stream, h.id)
		out[i] = h.stored(p)
		return err
	})
	return out, err
}

// stored returns a record with the progress that was saved for it, or is nil.
func (h *held) stored(p *event.Progress) event.Stored {
	c, err := h.content()
	if err != nil {
		return event.Stored{Damage: err, Progress: new(event.Progress), Subscription: &event.Subscription{
			ID: h.id, Shard: h.shard, Principal: h.principal, Version: h.version, State: event.Ended,
		}}
	}
	if p == nil || p.Birth != h.birth {
		p = c.Begin
	}
	return event.Stored{Subscription: c.Subscription, Progress: p}
}

// read returns the records that are there under keys, in their order.
func (s *Subscriptions) read(ctx context.Context, stream jetstream.Stream, keys []string) ([]event.Stored, error) {
	records := make([]*held, len(keys))
	err := together(len(keys), func(i int) (err error) {
		records[i], err = s.find(ctx, stream, idOf(keys[i]))
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.stored(ctx, slices.DeleteFunc(records, func(h *held) bool { return h.version == 0 }))
}
