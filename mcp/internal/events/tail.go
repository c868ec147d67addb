package events

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Bounds of a tail: of its entries, their bytes, and the entries that are read from the log at once.
const (
	tailEntries = 2048
	tailBytes   = 8 << 20
	readEntries = 256
)

// tail has the newest entries of a log, decoded. It is filled from the log only, so that all processes see the same.
type tail struct {
	t   *Type
	log event.Log

	loading chan struct{} // has a token while a goroutine runs load

	mu      sync.Mutex
	page    event.Page // as it was read last, without entries
	items   []*item    // the oldest first, without holes between their places
	bytes   int
	begun   uint64    // counts the reads of the log that have begun
	woken   uint64    // counts the calls of outdate
	seen    uint64    // what woken was before the log was read last
	failure error     // of the last read of the log
	read    time.Time // when the last read of the log ended
}

// part is what a tail returns: the items behind a place, and the present state of the log.
type part struct {
	event.Page // without entries
	items      []*item
}

func newTail(t *Type, log event.Log) *tail {
	return &tail{t: t, log: log, loading: make(chan struct{}, 1)}
}

// refresh reads what was appended to the log since the last read. It does not read if another call has meanwhile: the
// read must have begun after this call, and have succeeded.
func (l *tail) refresh(ctx context.Context) error {
	l.mu.Lock()
	begun := l.begun
	l.mu.Unlock()
	select {
	case l.loading <- struct{}{}:
		defer func() { <-l.loading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	l.mu.Lock()
	if l.begun > begun && l.failure == nil {
		l.mu.Unlock()
		return nil
	}
	l.begun++
	woken := l.woken
	l.mu.Unlock()
	err := l.load(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure, l.read, l.seen = err, time.Now(), woken
	return err
}

// outdate says that the log has new entries.
func (l *tail) outdate() {
	l.mu.Lock()
	l.woken++
	l.mu.Unlock()
}

// load is refresh for the goroutine whose turn it is to read.
func (l *tail) load(ctx context.Context) error {
	l.mu.Lock()
	last, epoch, known := l.page.Last, l.page.Epoch, l.page.Epoch != ""
	l.mu.Unlock()
	if !known { // only what comes from now on is worth keeping
		p, err := l.log.Read(ctx, l.t.Name, 0, 0)
		if err != nil {
			return err
		}
		l.set(p)
		return nil
	}
	for {
		p, err := l.log.Read(ctx, l.t.Name, last, readEntries)
		if err != nil {
			return err
		}
		if p.Epoch != epoch {
			l.set(p)
			return nil
		}
		items := l.decoded(p.Entries)
		l.mu.Lock()
		l.add(p, items)
		l.mu.Unlock()
		if len(items) == 0 {
			return nil
		}
		if last = items[len(items)-1].Seq; last >= p.Last {
			return nil
		}
	}
}

// set empties the tail and stores p, the state of the log, so that the next read begins at the end of the log.
func (l *tail) set(p event.Page) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.Entries = nil
	l.page, l.items, l.bytes = p, nil, 0
}

func (l *tail) decoded(entries []event.Entry) []*item {
	items := make([]*item, len(entries))
	for i := range entries {
		items[i] = l.t.decode(entries[i])
	}
	return items
}

// add appends items that were read with the page p, and drops the oldest items beyond the bounds. l.mu is held.
func (l *tail) add(p event.Page, items []*item) {
	if n := len(l.items); n > 0 && len(items) > 0 && items[0].Seq != l.items[n-1].Seq+1 {
		l.items, l.bytes = nil, 0
	}
	for _, i := range items {
		l.items, l.bytes = append(l.items, i), l.bytes+len(i.Data)
	}
	n := 0
	for ; len(l.items)-n > tailEntries || l.bytes > tailBytes; n++ {
		l.bytes -= len(l.items[n].Data)
		l.items[n] = nil
	}
	l.items = l.items[n:]
	p.Entries = nil
	switch { // Last does not count entries that p does not have: they are read next
	case len(items) > 0:
		p.Last = items[len(items)-1].Seq
	case p.First <= p.Last:
		p.Last = max(l.page.Last, p.First-1)
	}
	l.page = p
}

// state returns the state of the log. It reads the log unless a read after the last call of outdate has succeeded and
// ended less than maxAge ago.
func (l *tail) state(ctx context.Context, maxAge time.Duration) (event.Page, error) {
	l.mu.Lock()
	p, recent := l.page, l.seen == l.woken && time.Since(l.read) < maxAge && l.failure == nil
	l.mu.Unlock()
	if p.Epoch != "" && recent {
		return p, nil
	}
	if err := l.refresh(ctx); err != nil {
		return p, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.page, nil
}

// after returns up to readEntries items behind a place, which must be in the epoch of p and not behind p.Last. They
// come from the tail or, if it does not have them, from the log.
func (l *tail) after(ctx context.Context, p event.Page, place uint64) (part, error) {
	l.mu.Lock()
	if l.page.Epoch == p.Epoch && len(l.items) > 0 && l.items[0].Seq <= place+1 {
		from := int(min(place+1-l.items[0].Seq, uint64(len(l.items))))
		found := part{l.page, l.items[from:min(len(l.items), from+readEntries)]}
		l.mu.Unlock()
		return found, nil
	}
	l.mu.Unlock()
	read, err := l.log.Read(ctx, l.t.Name, place, readEntries)
	if err != nil {
		return part{}, err
	}
	items := l.decoded(read.Entries)
	read.Entries = nil
	return part{read, items}, nil
}

// keptSince reports whether the first entry after place has a Kept of t or later, or there is none. It reads the log
// only if the tail in memory does not begin early enough or is of another epoch than p.
func (l *tail) keptSince(ctx context.Context, p event.Page, place uint64, t time.Time) (bool, error) {
	l.mu.Lock()
	if l.page.Epoch == p.Epoch && len(l.items) > 0 && l.items[0].Seq <= place+1 {
		defer l.mu.Unlock()
		from := place + 1 - l.items[0].Seq
		return from >= uint64(len(l.items)) || !l.items[from].Kept.Before(t), nil
	}
	l.mu.Unlock()
	read, err := l.log.Read(ctx, l.t.Name, place, 1)
	return err != nil || len(read.Entries) == 0 || !read.Entries[0].Kept.Before(t), err
}
