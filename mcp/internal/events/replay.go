package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Limits of calls that ask the program for its history: events at once, calls for one answer, the time of each, and the
// bytes of a cursor.
const (
	maxPast       = 1000
	maxAsked      = 32
	askTime       = 10 * time.Second
	maxPastCursor = 256
)

// history is a place in a history that the program keeps: a cursor that the program has returned, and base, the number
// of events that a subscriber had passed there. Both are written in the Epoch of a position. Its Seq, the place, is
// base plus the number of events passed behind the cursor. So the places of a subscriber grow from page to page, and
// every event can be read again from the cursor by which it was read.
type history struct {
	cursor string
	base   uint64
}

func (h history) at(place uint64) event.Position {
	return event.Position{Epoch: strconv.FormatUint(h.base, 10) + " " + h.cursor, Seq: place}
}

// historyOf returns the history in a position. It reports false for a position in a log.
func historyOf(at event.Position) (h history, ok bool) {
	base, cursor, ok := strings.Cut(at.Epoch, " ")
	n, err := strconv.ParseUint(base, 10, 64)
	return history{cursor, n}, ok && err == nil && n <= at.Seq
}

// ask asks the program for a part of its history. For an empty cursor the part has no events, and Next is the end of
// the history.
func (p *topic) ask(ctx context.Context, s *Subscriber, cursor string, limit int) (past Past, err error) {
	wait, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	case <-wait.Done(): // the calls that run do not end
		return past, wait.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	defer caught(&err)
	past, err = p.Replay(ctx, s.filter, cursor, limit)
	switch {
	case err != nil:
	case past.Next == "" || len(past.Next) > maxPastCursor || !utf8.ValidString(past.Next):
		err = fmt.Errorf("event: the history of %s has a cursor that is not 1 to %d bytes of UTF-8", p.Name, maxPastCursor)
	case past.Lost && past.Len > 0:
		err = fmt.Errorf("event: the history of %s has lost events, and has returned some before it was asked again", p.Name)
	case past.Len > limit:
		err = fmt.Errorf("event: the history of %s has returned %d events, and %d were asked for", p.Name, past.Len, limit)
	}
	return past, err
}

// item returns the i-th event of a part, with its place. After an error or a panic of the program, the item has the
// error. Its data is then "{}", because an item without data is a gap.
func (past *Past) item(i int, place uint64) (x *item) {
	x = &item{Entry: event.Entry{Seq: place, Data: []byte("{}")}}
	defer caught(&x.err)
	entry, value, err := past.Event(i)
	if err != nil {
		x.err = err
		return x
	}
	x.Entry, x.value = *entry, value
	x.Seq = place
	return x
}

// startPast is start for a history that the program keeps.
func (p *topic) startPast(ctx context.Context, s *Subscriber, f from) (at event.Position, truncated bool, err error) {
	if f.cursor != "" {
		at, lost, err := p.e.open(p.Type, f.cursor)
		if err != nil {
			return at, false, err
		}
		if h, ok := historyOf(at); ok && !lost {
			if f.maxAge < 0 {
				return at, false, nil
			}
			return p.youngerPast(ctx, s, h, at.Seq, time.Now().Add(-f.maxAge))
		}
	}
	past, err := p.ask(ctx, s, "", 0)
	return history{cursor: past.Next}.at(0), f.cursor != "", err
}

// errTooOld is the error for a client that limits the age of events and is too far behind.
var errTooOld = &event.Error{Kind: event.InvalidParams,
	Message: "/maxAgeMs: too many events behind the cursor are older: leave out the cursor"}

// youngerPast skips old events: it returns the position before the first event that happened at the time t or later,
// and whether any were skipped or lost. The search begins in h at the place start. If it takes more than maxAsked
// calls, the error is errTooOld.
func (p *topic) youngerPast(ctx context.Context, s *Subscriber, h history, start uint64, t time.Time) (
	at event.Position, truncated bool, err error) {
	place := start
	for range maxAsked {
		past, err := p.ask(ctx, s, h.cursor, maxPast)
		if err != nil {
			return at, false, err
		}
		if past.Lost {
			h, truncated = history{past.Next, place}, true
			continue
		}
		for ; place < h.base+uint64(past.Len); place++ {
			x := past.item(int(place-h.base), place)
			if x.err == nil && !x.Time.Before(t) {
				return h.at(place), truncated || place > start, nil
			}
		}
		if !past.More {
			return h.at(place), truncated || place > start, nil
		}
		h = history{past.Next, h.base + uint64(past.Len)}
	}
	return at, false, errTooOld
}

// collectPast is collect for a history that the program keeps.
func (p *topic) collectPast(ctx context.Context, s *Subscriber, at event.Position, limit int) (
	b event.Batch, err error) {
	h, ok := historyOf(at)
	if !ok { // until now a log has kept the events
		b.After, _, err = p.startPast(ctx, s, from{})
		b.Truncated = true
		return b, err
	}
	b.After = at
	g := gathering{topic: p, s: s, most: limit, batch: &b, at: at}
	for asked := 0; ; asked++ {
		skip, room := min(g.at.Seq-h.base, maxPast), min(limit-len(b.Events), maxPast)
		past, err := p.ask(ctx, s, h.cursor, int(skip)+room)
		if err != nil && len(b.Events) == 0 {
			return b, err
		}
		if err != nil || past.Lost && len(b.Events) > 0 { // the next batch has the error, or begins with the loss
			b.More = true
			return b, nil //nolint:nilerr // what there is, and the error the next time
		}
		end := h.base + uint64(past.Len)
		g.addPast(h, &past)
		switch stuck := past.Len == 0 && past.Next == h.cursor; {
		case past.Lost, g.at.Seq > end && asked == maxAsked: // g.at is lost, or is not found in maxAsked parts
			b.Truncated = true
			h = history{past.Next, g.at.Seq}
		case g.at.Seq < end: // the batch has no room for the rest
			b.After, b.More = g.at, true
			return b, nil
		case g.at.Seq > end && (!past.More || stuck): // the history ends before g.at, perhaps for a moment
			return b, nil
		default:
			h = history{past.Next, end}
			past.More = past.More && !stuck
		}
		if g.at.Seq == h.base {
			g.at = h.at(h.base)
			b.After, b.More = g.at, past.More || past.Lost
		}
		if !b.More && g.at.Seq == h.base || g.full || asked == maxAsked {
			return b, nil
		}
	}
}

// addPast adds the events of a part that are behind g.at, while there is room.
func (g *gathering) addPast(h history, past *Past) {
	end := h.base + uint64(past.Len)
	for g.at.Seq < end {
		g.at = h.at(g.at.Seq)
		if !g.add(past.item(int(g.at.Seq-h.base), g.at.Seq+1)) {
			return
		}
	}
}

// errHistory is the error of publishing an event whose history the program keeps.
var errHistory = errors.New("event: the program keeps the events itself: say that there are more with Announce")

// Announce makes subscribers of a name, in all processes, look for new events in the history of the program. It does
// nothing if the server has no such event.
func (e *Engine) Announce(name string) {
	if p := e.byName[name]; p != nil {
		p.wake()
		if e.Changed != nil {
			e.Changed(name)
		}
	}
}
