package events

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// NewEntry returns an entry for an event log. For an id of "" it makes a random one, and a zero time means the present.
// It fails if the id is not valid, or if data is no object or too large.
func NewEntry(id string, at time.Time, data []byte, cause string) (*event.Entry, error) {
	if id == "" {
		id = rand.Text()
	}
	switch {
	case !isID(id):
		return nil, fmt.Errorf("event: the id %q is not 1 to %d visible ASCII characters without a dot", id, event.MaxID)
	case len(data) > event.MaxData:
		return nil, fmt.Errorf("event: the payload has %d bytes, and may have %d", len(data), event.MaxData)
	case len(data) < len("{}") || data[0] != '{':
		return nil, errors.New("event: the payload is no object")
	}
	now := time.Now()
	if at.IsZero() {
		at = now
	}
	return &event.Entry{ID: id, Time: at, Kept: now, Data: data, Cause: cause}, nil
}

// isID reports whether s may be the id of an event. An id has no dot, because it is part of the text that webhooks
// sign, whose parts are separated by dots.
func isID(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '.' {
			return false
		}
	}
	return s != "" && len(s) <= event.MaxID
}

// Commit appends an event, and returns once the log has it. If the log already has an event with the id, nothing is
// appended and Commit returns nil.
func (e *Engine) Commit(ctx context.Context, name string, entry *event.Entry) error {
	p := e.byName[name]
	if p == nil {
		return fmt.Errorf("event: the server has no event %s", name)
	}
	if p.Replay != nil {
		return errHistory
	}
	return p.append(ctx, entry)
}

func (p *topic) append(ctx context.Context, entry *event.Entry) error {
	err := p.e.log.Append(ctx, p.Name, entry, p.Keep)
	switch {
	case errors.Is(err, event.ErrDuplicate):
		p.e.Counts.Duplicates.Add(1)
		return nil
	case err != nil:
		p.e.Counts.LogErrors.Add(1)
		return fmt.Errorf("event: %w", err)
	}
	p.e.Counts.Committed.Add(1)
	p.wake()
	if p.e.Changed != nil {
		p.e.Changed(p.Name)
	}
	return nil
}

// queue has published events that are not in the log yet. It is guarded by topic.mu.
type queue struct {
	entries []*event.Entry
	lost    bool // something did not fit
	drained bool // a goroutine that appends the entries is running
}

// Publish queues an event to be appended. It never blocks. If the queue is full, the event is lost, subscribers are
// told of a gap, and Publish returns false. It also returns false if the server has no such event, or closes.
func (e *Engine) Publish(name string, entry *event.Entry) bool {
	p := e.byName[name]
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-e.closing:
		e.Counts.Overflows.Add(1)
		return false
	default:
	}
	q := &p.queue
	if p.Hint && q.merge(entry) {
		return true
	}
	if len(q.entries) >= e.Options.MaxPending {
		q.lost = true
		e.Counts.Overflows.Add(1)
		return false
	}
	q.entries = append(q.entries, entry)
	if !q.drained {
		q.drained = true
		e.drains.Go(p.drain)
	}
	return true
}

// merge reports whether a waiting entry has the same payload, so that entry need not be appended. If their causes
// differ, the waiting entry loses its cause.
func (q *queue) merge(entry *event.Entry) bool {
	for _, o := range q.entries {
		if bytes.Equal(o.Data, entry.Data) {
			if o.Cause != entry.Cause {
				o.Cause = ""
			}
			return true
		}
	}
	return false
}

// next removes the first entry from the queue and returns it. If events were lost, it returns a gap behind the last
// entry. It returns nil if nothing is left; then the goroutine that drains the queue ends.
func (p *topic) next() *event.Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := &p.queue
	if len(q.entries) > 0 {
		next := q.entries[0]
		q.entries[0] = nil
		q.entries = q.entries[1:]
		return next
	}
	if q.lost { // what was lost came behind all of these
		q.lost = false
		return gap()
	}
	q.entries, q.drained = nil, false
	return nil
}

// gap returns an entry that says that events are missing at its place.
func gap() *event.Entry {
	now := time.Now()
	return &event.Entry{ID: rand.Text(), Time: now, Kept: now}
}

// Times of the attempts to append a published event: the first and the longest pause, and the limit of one attempt.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
	appendTime = 10 * time.Second
)

// drain appends published events in their order until none is left. While the log is not available it tries again. When
// the server closes, the events that still wait are lost.
func (p *topic) drain() {
	for next := p.next(); next != nil; next = p.next() {
		if !p.insist(next) {
			p.mu.Lock()
			p.e.Counts.Overflows.Add(int64(len(p.queue.entries)))
			p.queue = queue{}
			p.mu.Unlock()
			return
		}
	}
}

// insist appends a published entry, and tries again if the log fails. An event is lost if the log refuses it, or if the
// log still fails when it would no longer keep the event. Then subscribers are told of a gap, and insist returns true.
// It returns false if the server closes first.
func (p *topic) insist(entry *event.Entry) (open bool) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		ctx, stop := context.WithTimeout(context.Background(), appendTime)
		err := p.append(ctx, entry)
		stop()
		if err == nil {
			return true
		}
		late := len(entry.Data) > 0 && time.Since(entry.Kept) > p.Keep.WithDefaults().For
		if late || errors.Is(err, event.ErrRefused) {
			p.e.Logger.Error("mcp: events: an event is lost", "event", p.Name, "id", entry.ID, "err", err)
			p.lose(entry)
			return true
		}
		p.e.Logger.Warn("mcp: events: an event could not be appended", "event", p.Name, "err", err)
		select {
		case <-p.e.closing:
			p.e.Counts.Overflows.Add(1)
			return false
		case <-time.After(pause):
		}
	}
}

// lose counts a lost event, and has a gap appended at its place.
func (p *topic) lose(entry *event.Entry) {
	if len(entry.Data) == 0 { // a gap
		return
	}
	p.e.Counts.Overflows.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.entries = slices.Insert(p.queue.entries, 0, gap())
}
