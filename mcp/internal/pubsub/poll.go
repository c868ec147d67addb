package pubsub

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// Poll looks at once and then about once in each interval, and yields whenever read returns something else than before.
// The interval varies by a tenth, so that watchers do not look all at once. The sequence ends with ctx.
//
// If ctx is that of an [Opener], the sequence also yields when a client has read, since the last look, something else
// than the present look finds ([Hub.Reads]). So a client that has read a state that existed only between two looks is
// told that it is gone.
//
// If each caller reads something else anyway, such differences mean nothing. So the sequence yields less and less often
// for this reason alone: after twice as many intervals each time, up to maxPollGap, until two looks differ.
func Poll(ctx context.Context, every time.Duration, read func() View) iter.Seq2[time.Time, error] {
	p := poll{reads: new(Reads)}
	if w, ok := ctx.Value(watcherKey{}).(*watcher); ok {
		w.reads.Store(p.reads)
	}
	p.last = read()
	return func(yield func(time.Time, error) bool) {
		for pollPause(ctx, every) {
			now := read()
			if p.differs(now) && !yield(time.Now(), now.Err) {
				return
			}
		}
	}
}

// maxPollGap is the most intervals between two values while the looks do not differ.
const maxPollGap = 64

// poll compares looks.
type poll struct {
	reads *Reads
	last  View // Err is that of the last look, and Sum that of the last look that did not fail
	// owed says that a client has read something else than the next look found, and that no change was reported since. It
	// is reported as a change after wait more looks. gap is what wait began with the last time.
	owed      bool
	wait, gap int
}

// differs reports whether subscribers get an update, because the content is now another one, or a client has read
// another one.
func (p *poll) differs(now View) bool {
	p.owed = p.reads.differ(now) || p.owed
	changed := now.Err == nil && now.Sum != p.last.Sum || (now.Err == nil) != (p.last.Err == nil)
	if p.last.Err = now.Err; now.Err == nil {
		p.last.Sum = now.Sum
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

// Reads returns where to note what clients read of uri; nil if that is not polled.
func (h *Hub) Reads(uri string) *Reads {
	if h.resources.empty() {
		return nil
	}
	k := h.keyOf(Topic{URI: uri})
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.resources.find(k); t != nil && h.watching[t] != nil {
		return h.watching[t].reads.Load()
	}
	return nil
}

// pollPause waits for about d and reports whether ctx goes on.
func pollPause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d - d/10 + rand.N(d/5+1)) //nolint:gosec // not a secret
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
