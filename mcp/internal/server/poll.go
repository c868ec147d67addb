package server

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io/fs"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"
)

// Poll returns the Watch of a [Resource] that reports no changes by itself: for as long as somebody is subscribed, it
// calls read about once in each interval, and reports a change if the content is not that of the call before. The
// interval varies by a tenth, so that watchers do not read all at once.
//
// It also reports a change if a client of the server has read, since the call before, another content than the present
// one. So a client that has read a content which was there only between two calls is told that it has gone.
//
// Where each caller reads a content of its own, such differences mean nothing. Reports for this reason alone are
// therefore further and further apart: twice as many intervals each time, up to 64, until read itself sees a change.
func Poll(every time.Duration, read func(*Call) (Contents, error)) func(*Call) (iter.Seq2[time.Time, error], error) {
	return func(c *Call) (iter.Seq2[time.Time, error], error) {
		p := poll{got: new(served)}
		if w, ok := c.Value(watchKey{}).(*watch); ok {
			w.polled.Store(p.got)
		}
		p.last = look(c, read)
		return func(yield func(time.Time, error) bool) {
			for pollPause(c, every) {
				now := look(c, read)
				if p.news(now) && !yield(time.Now(), now.err) {
					return
				}
			}
		}, nil
	}
}

// maxPollGap is the most intervals between two reports while the looks, which are the calls of read, see no change.
const maxPollGap = 64

// poll compares looks.
type poll struct {
	got  *served
	last view // the last one; of one that failed, that before
	// owed says that a client has read something else than the look after it has seen, and that no change was reported
	// since. One is reported after wait more looks; gap is how many there were to wait last time.
	owed      bool
	wait, gap int
}

// news reports whether subscribers have to be told, since now is what there is to see.
func (p *poll) news(now view) bool {
	p.owed = p.got.differs(now) || p.owed
	changed := now.err == nil && now.sum != p.last.sum || (now.err == nil) != (p.last.err == nil)
	if p.last.err = now.err; now.err == nil {
		p.last.sum = now.sum
	}
	switch {
	case changed:
		p.owed, p.wait, p.gap = false, 0, 0
		return true
	case p.wait > 0:
		p.wait--
		return false
	case p.owed:
		p.owed, p.gap = false, min(2*p.gap+1, maxPollGap-1)
		p.wait = p.gap
		return true
	}
	return false
}

// served is what clients have read of a resource that is polled, since the last look.
type served struct {
	mu    sync.Mutex
	any   bool
	first view
	mixed bool // there was something else than first
}

// add notes what a client has read.
func (s *served) add(v view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mixed = s.mixed || s.any && !v.like(s.first)
	s.any, s.first = true, v
}

// differs reports whether anybody has read something else than now, and forgets it.
func (s *served) differs(now view) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.any && (s.mixed || !now.like(s.first))
	s.any, s.mixed, s.first = false, false, view{}
	return other
}

// noteRead tells the poll of uri, if there is one, what a client has read.
func (h *hub) noteRead(uri string, c *Contents, err error) {
	if h.isIdle() {
		return
	}
	id := h.idOf(uri)
	h.mu.RLock()
	var got *served
	if t := h.findLocked(id); t != nil && t.watch != nil {
		got = t.watch.polled.Load()
	}
	h.mu.RUnlock()
	if got != nil {
		got.add(viewOf(*c, err))
	}
}

// pollPause waits for about d and reports whether c goes on.
func pollPause(c *Call, d time.Duration) bool {
	t := time.NewTimer(d - d/10 + rand.N(d/5+1)) //nolint:gosec // nobody gains from a guess
	defer t.Stop()
	select {
	case <-c.Done():
		return false
	case <-t.C:
		return true
	}
}

// view is what somebody gets who reads.
type view struct {
	sum uint64 // of the content
	err error  // why there is none
}

// like reports whether v and o look the same to clients.
func (v view) like(o view) bool {
	return (v.err == nil) == (o.err == nil) && (v.err != nil || v.sum == o.sum)
}

// viewOf is the view of what a read has returned. No content is a content, too.
func viewOf(c Contents, err error) view {
	if errors.Is(err, ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		c, err = Contents{}, nil
	}
	if err != nil {
		return view{err: err}
	}
	return view{sum: c.sum()}
}

// look reads. A panic is an error, so that one bad look does not end the watcher.
func look(c *Call, read func(*Call) (Contents, error)) (v view) {
	defer func() {
		if p := recover(); p != nil {
			v = view{err: &panicError{value: p, stack: debug.Stack()}}
		}
	}()
	return viewOf(read(c))
}

// sums makes the sums of contents.
var sums = maphash.MakeSeed()

// sum is a hash of all that clients see of c, in this process.
func (c *Contents) sum() uint64 {
	var h maphash.Hash
	h.SetSeed(sums)
	size := func(n int) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		_, _ = h.Write(b[:]) // never fails
	}
	text := func(s string) {
		size(len(s))
		_, _ = h.WriteString(s)
	}
	blob := func(b []byte) {
		size(len(b))
		_, _ = h.Write(b)
	}
	_ = h.WriteByte(byte(c.kind))
	text(c.text)
	blob(c.blob)
	for _, p := range c.many {
		text(p.URI)
		text(p.MIMEType)
		text(p.Text)
		blob(p.Blob)
	}
	return h.Sum64()
}
