package events

import (
	"context"
	"sort"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Bounds of one batch: the entries that are looked at, and the bytes of the events.
const (
	maxScan  = 8 * readEntries
	maxBytes = 1 << 20
)

// Subscriber gets the events of one name that match its arguments.
type Subscriber struct {
	Caller event.Caller
	// Permits is asked in place of Type.Permits; nil means that Type.Permits is asked.
	Permits func() *event.Error

	filter any
	cause  string // Entry.Cause of the events that the subscriber itself causes
	meta   []byte // members of the _meta of its events; nil for none
}

// NewSubscriber returns a subscriber with arguments. Its error is for the client.
func (t *Type) NewSubscriber(who event.Caller, args []byte) (s *Subscriber, err error) {
	s = &Subscriber{Caller: who, cause: CauseOf(who.Subject)}
	if s.filter, err = t.Filter(args); err != nil {
		return nil, &event.Error{Kind: event.InvalidParams, Message: "/arguments: " + err.Error()}
	}
	return s, nil
}

func (s *Subscriber) refused(t *Type) *event.Error {
	if s.Permits != nil {
		return s.Permits()
	}
	return t.Permits(&s.Caller)
}

// undecided reports whether f, an error of Type.Permits, says that the rights of a subscriber could not be checked.
func undecided(f *event.Error) bool { return f.Kind == event.Internal }

// reached returns the position from which a reader that has read up to another position can continue, and whether
// entries between the two are lost.
func reached(p *event.Page, at event.Position) (event.Position, bool) {
	switch {
	case at.Epoch != p.Epoch || at.Seq+1 < p.First:
		return event.Position{Epoch: p.Epoch, Seq: p.First - 1}, true
	case at.Seq > p.Last:
		return event.Position{Epoch: p.Epoch, Seq: p.Last}, true
	}
	return at, false
}

// from is where a subscriber wants to begin.
type from struct {
	cursor string        // "" for the end of the log
	maxAge time.Duration // of the oldest event; negative for any
}

// start returns the position at which a subscriber begins, and whether events before it are lost.
func (p *topic) start(ctx context.Context, s *Subscriber, f from) (at event.Position, truncated bool, err error) {
	if p.Replay != nil {
		return p.startPast(ctx, s, f)
	}
	lost := false
	if f.cursor != "" {
		if at, lost, err = p.e.open(p.Type, f.cursor); err != nil {
			return at, false, err
		}
	}
	page, err := p.tail.state(ctx, 0)
	if err != nil {
		return at, false, err
	}
	if f.cursor == "" {
		return event.Position{Epoch: page.Epoch, Seq: page.Last}, false, nil
	}
	switch {
	case !lost:
		at, truncated = reached(&page, at)
	case p.e.LastingKeys(): // the text may be no cursor at all, so it gives no access to earlier events
		return event.Position{Epoch: page.Epoch, Seq: page.Last}, true, nil
	default: // every restart loses the keys, and a lasting log has what came since
		at, truncated = reached(&page, event.Position{})
	}
	if f.maxAge < 0 {
		return at, truncated, nil
	}
	seq, err := p.youngerThan(ctx, &page, at.Seq, time.Now().Add(-f.maxAge))
	truncated = truncated || seq > at.Seq
	at.Seq = seq
	return at, truncated, err
}

// youngerThan skips old entries: it returns the place before the first entry that was appended at the time t or later.
// The search begins at the place start.
func (p *topic) youngerThan(ctx context.Context, page *event.Page, start uint64, t time.Time) (uint64, error) {
	var failed error
	n := sort.Search(int(page.Last-start), func(i int) bool {
		since, err := p.tail.keptSince(ctx, *page, start+uint64(i), t)
		if err != nil {
			failed = err
		}
		return since
	})
	return start + uint64(n), failed
}

// collect returns the events that the subscriber s gets behind a position. There are at most limit events. The state of
// the log that is used may be maxAge old. If the subscriber lost the right to the events, b.Ended says why. Rights are
// checked after the events are read: who loses them gets no event that is published later.
func (p *topic) collect(ctx context.Context, s *Subscriber, at event.Position, limit int, maxAge time.Duration) (
	event.Batch, error) {
	b, err := p.gather(ctx, s, at, limit, maxAge)
	switch f := s.refused(p.Type); {
	case f != nil && !undecided(f):
		return event.Batch{After: at, Ended: f}, nil
	case err != nil:
		return b, err
	case f != nil:
		return event.Batch{After: at}, f
	}
	return b, nil
}

// gather is collect without the check of rights.
func (p *topic) gather(ctx context.Context, s *Subscriber, at event.Position, limit int, maxAge time.Duration) (
	b event.Batch, err error) {
	b.After = at
	if p.Replay != nil {
		return p.collectPast(ctx, s, at, limit)
	}
	page, err := p.stateFor(ctx, at, maxAge)
	if err != nil {
		return b, err
	}
	at, b.Truncated = p.reachedTail(&page, at)
	g := gathering{topic: p, s: s, most: limit, batch: &b, at: at}
	for scanned := 0; scanned < maxScan && !g.full; {
		read, err := p.tail.after(ctx, page, g.at.Seq)
		if err != nil {
			return b, err
		}
		if read.Epoch != page.Epoch { // the next call of collect reads the new epoch
			break
		}
		page = read.Page
		if len(read.items) == 0 {
			g.end(&page)
			break
		}
		for _, i := range read.items {
			if !g.add(i) {
				break
			}
		}
		scanned += len(read.items)
	}
	b.After, b.More = g.at, g.at.Seq < page.Last
	return b, nil
}

// stateFor returns the state of the tail for a subscriber that has reached a position.
func (p *topic) stateFor(ctx context.Context, at event.Position, maxAge time.Duration) (event.Page, error) {
	page, err := p.tail.state(ctx, maxAge)
	if err == nil && maxAge > 0 && at.Epoch == page.Epoch && at.Seq > page.Last { // another process is ahead
		page, err = p.tail.state(ctx, 0)
	}
	return page, err
}

// reachedTail is reached, but also counts entries that only the tail still has.
func (p *topic) reachedTail(page *event.Page, at event.Position) (event.Position, bool) {
	older := *page
	p.tail.mu.Lock()
	if p.tail.page.Epoch == page.Epoch && len(p.tail.items) > 0 {
		older.First = min(older.First, p.tail.items[0].Seq)
	}
	p.tail.mu.Unlock()
	return reached(&older, at)
}

// gathering collects the events of one batch.
type gathering struct {
	*topic
	s     *Subscriber
	most  int
	batch *event.Batch
	at    event.Position
	bytes int
	full  bool
}

// add adds the next item, if the subscriber gets it. It returns false if the batch is complete.
func (g *gathering) add(i *item) bool {
	if i.isGap() || i.Seq > g.at.Seq+1 {
		if len(g.batch.Events) > 0 { // Truncated means a loss before the first event, so the batch ends before the gap
			g.full = true
			return false
		}
		g.batch.Truncated = true
	}
	g.at.Seq = i.Seq
	if i.isGap() {
		return true
	}
	data, err := g.shaped(g.s, i)
	if err != nil {
		g.e.failed(g.topic, "id", i.ID, err)
	}
	if data == nil {
		return true
	}
	own := i.Cause != "" && i.Cause == g.s.cause
	body := appendOccurrence(make([]byte, 0, len(data)+192), g.Name, &i.Entry, data, g.s.meta, own)
	g.batch.Events = append(g.batch.Events, event.Occurrence{At: g.at, ID: i.ID, Time: i.Time, Body: body})
	g.bytes += len(body)
	g.full = len(g.batch.Events) >= g.most || g.bytes >= maxBytes
	return !g.full
}

// end is called when the log has no entry behind g.at. It notes a loss if there were entries that the log has dropped.
func (g *gathering) end(page *event.Page) {
	if page.First > g.at.Seq+1 && len(g.batch.Events) == 0 {
		g.batch.Truncated = true
		g.at.Seq = page.First - 1
	}
}
