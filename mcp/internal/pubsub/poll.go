package pubsub

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// Poll calls read, and returns a sequence that calls read about once in each interval and yields whenever the result
// differs from the last one. The interval varies by a tenth, so that not all watchers read at the same time. The
// sequence ends with ctx.
//
// If ctx is the context of an [Opener], the sequence also yields if a client has read something else since the last
// call of read (see [Hub.Reads]). So if a state exists only between two calls, a client that has read it is told that
// it is gone.
//
// If each caller reads something else anyway, such differences say nothing of changes. So for this reason the sequence
// yields less and less often: it waits for twice as many intervals each time, up to maxPollGap, until two results of
// read differ.
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

// maxPollGap is the largest number of intervals between two values while the results of read do not differ.
const maxPollGap = 64

// poll compares the results of read.
type poll struct {
	reads *Reads
	last  View // Err is that of the last result, Sum that of the last result without an error
	// owed says that a client has read something else than the next call of read returned, and that no change was reported
	// since. It is reported as a change after wait further results. gap is the value at which wait began the last time.
	owed      bool
	wait, gap int
}

// differs reports whether subscribers get an update: v differs from the last result, or a client has read something
// else.
func (p *poll) differs(v View) bool {
	p.owed = p.reads.differ(v) || p.owed
	changed := v.Err == nil && v.Sum != p.last.Sum || (v.Err == nil) != (p.last.Err == nil)
	if p.last.Err = v.Err; v.Err == nil {
		p.last.Sum = v.Sum
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

// Reads returns the Reads in which to record what clients read at uri; nil if the resource is not polled.
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

// pollPause waits for about d and returns true. It returns false if ctx ends.
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
