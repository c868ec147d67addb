package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// opener calls the Watch function of a resource for one URI.
type opener func(ctx context.Context) (iter.Seq2[time.Time, error], error)

// errWatchExited is the error of a Watch function that ended its goroutine.
var errWatchExited = errors.New("watch function ended its goroutine")

// A watcher that panics, or whose sequence ends while somebody is subscribed, is opened again after a pause. The first
// pause is two seconds, each further one twice as long, up to a minute; all vary by a quarter. After a watcher that has
// run for a minute the pauses begin with two seconds again.
const (
	watchAgainFirst = 2 * time.Second
	watchAgainMost  = time.Minute
)

// watch is the running watcher of one topic. It lives as long as its topic has subs, on one
// goroutine, which calls the opener and then follows the sequence that it returned. Every
// sequence is followed, even if all subs have left meanwhile, so that it can release what it holds.
// While it waits to be opened again, it has no goroutine.
type watch struct {
	topic  *topic
	open   opener
	ctx    context.Context
	cancel context.CancelFunc
	opened chan struct{} // closed when the opener has returned for the first time
	err    error         // of that; read after opened
	polled atomic.Pointer[served]

	// The rest belongs to the goroutine, or to the timer that starts the next one.

	pause time.Duration // before it was opened last; 0 for the first time
	ends  int           // how often it has ended
}

// watchKey is the key of a *watch in the context of its watcher.
type watchKey struct{}

// watchLocked starts the watcher of t. The hub is not closed.
func (h *hub) watchLocked(t *topic, open opener) *watch {
	w := &watch{topic: t, open: open, opened: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(h.ctx)
	h.watchers.Go(func() { h.watch(w) })
	return w
}

// watch opens w and follows it. Afterwards w is opened again later, unless nobody is subscribed or there is nothing to
// watch.
func (h *hub) watch(w *watch) {
	over, began := false, time.Now()
	ctx, cancel := context.WithCancel(context.WithValue(w.ctx, watchKey{}, w))
	defer func() { // also if the watcher ends the goroutine
		cancel()
		if over || w.err != nil || w.ctx.Err() != nil {
			w.cancel()
			return
		}
		if time.Since(began) >= watchAgainMost {
			w.pause = 0
		}
		h.watchAgain(w)
	}()
	seq, err := h.openWatch(w, ctx)
	if w.err != nil || err == nil && seq == nil { // refused, or there is nothing to watch
		over = true
		return
	}
	if w.pause > 0 {
		if err != nil {
			h.log.Warn("mcp: watcher cannot be opened again", "uri", w.topic.uri, "err", err)
			return
		}
		h.renew(w.topic) // nobody has seen what happened meanwhile
	}
	h.follow(w, seq)
}

// watchAgain opens w again after a pause.
func (h *hub) watchAgain(w *watch) {
	w.pause = min(max(2*w.pause, watchAgainFirst), watchAgainMost)
	w.ends++
	in := w.pause*3/4 + rand.N(w.pause/2) //nolint:gosec // nobody gains from a guess
	h.log.Warn("mcp: watcher has ended, and is opened again",
		"uri", w.topic.uri, "in", in, "ends", w.ends, "of_all", h.reopened.Add(1))
	time.AfterFunc(in, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.closed && w.ctx.Err() == nil {
			h.watchers.Go(func() { h.watch(w) })
		}
	})
}

// openWatch calls the opener, and tells those who wait for its first call. If that fails, the topic is forgotten:
// whoever waits gets the error and leaves, whoever comes later tries again.
func (h *hub) openWatch(w *watch, ctx context.Context) (seq iter.Seq2[time.Time, error], err error) {
	first, err := w.pause == 0 && w.ends == 0, errWatchExited
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in watch function: %v", p)
			h.log.Error("mcp: panic in watch function", "uri", w.topic.uri, "panic", p, "stack", string(debug.Stack()))
		}
		if !first {
			return
		}
		if w.err = err; err != nil {
			h.mu.Lock()
			h.forgetLocked(w.topic)
			h.mu.Unlock()
		}
		close(w.opened)
	}()
	return w.open(ctx)
}

// follow publishes each value of seq until w is cancelled. When the sequence ends earlier or
// panics, the subscriptions stay: the server may publish changes by other means.
func (h *hub) follow(w *watch, seq iter.Seq2[time.Time, error]) {
	uri := w.topic.uri
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("mcp: panic in watcher", "uri", uri, "panic", p, "stack", string(debug.Stack()))
			h.renew(w.topic)
		}
	}()
	for _, err := range seq {
		if w.ctx.Err() != nil {
			return
		}
		if err != nil {
			h.log.Warn("mcp: watcher reports an error", "uri", uri, "err", err)
		}
		h.renew(w.topic)
	}
}

// wait returns when the watcher runs, or why it does not; a nil watch always runs. It gives up
// when ctx ends before.
func (w *watch) wait(ctx context.Context) error {
	if w == nil {
		return nil
	}
	select {
	case <-w.opened:
		return w.err
	case <-ctx.Done():
	}
	select {
	case <-w.opened:
		return w.err
	default:
		return ctx.Err()
	}
}

// begin starts the watcher of the topic that u has joined, unless somebody has done so. It fails if the hub is closed.
// The watcher is nil if u wants none or has left.
func (h *hub) begin(u *sub) (*watch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := u.topic
	switch {
	case t == nil || u.at < 0:
		return nil, nil
	case t.watch == nil && u.open != nil:
		if h.closed {
			return nil, errClosed
		}
		t.watch = h.watchLocked(t, u.open)
	}
	return t.watch, nil
}

// ready begins the watcher of the topic that u has joined, and waits for it until ctx ends.
func (h *hub) ready(ctx context.Context, u *sub) error {
	w, err := h.begin(u)
	if err != nil {
		return err
	}
	err = w.wait(ctx)
	if err != nil && context.Cause(ctx) == errWatchLate { //nolint:errorlint // made by untilLate
		return errWatchLate
	}
	return err
}

// openTimeout is how long a request waits for a watcher to begin.
const openTimeout = 10 * time.Second

// errWatchLate is the error of requests that waited for a Watch function longer than openTimeout. Once it has returned
// after all, later requests succeed.
var errWatchLate = errors.New("watch function takes too long")

// untilLate returns a context of ctx that ends after openTimeout, because of errWatchLate.
func untilLate(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, openTimeout, errWatchLate)
}

// runs is ready for at most openTimeout.
func (h *hub) runs(ctx context.Context, u *sub) error {
	ctx, stop := untilLate(ctx)
	defer stop()
	return h.ready(ctx, u)
}
