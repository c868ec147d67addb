package pubsub

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// OpenTimeout is the longest time that a request waits for a watcher to be opened.
const OpenTimeout = 10 * time.Second

// A watcher that panics, or whose sequence ends while there are subscribers, is opened again after a pause. The first
// pause is two seconds, and each further pause is twice as long, up to a minute. All vary by a quarter. If the watcher
// has run for a minute, the next pause is two seconds again.
const (
	reopenFirst = 2 * time.Second
	reopenMost  = time.Minute
)

var (
	// errOpenExited is the error of an opener that has called runtime.Goexit.
	errOpenExited = errors.New("watch function ended its goroutine")
	// errOpenLate is the error of requests that have waited for an opener for OpenTimeout. If the opener returns after
	// all, later requests succeed.
	errOpenLate = errors.New("watch function takes too long")
)

// watcher publishes one topic whenever a sequence of the program reports a change. It lives as long as the topic has
// subscriptions. Its goroutine calls the opener and then runs the sequence that the opener has returned. It runs the
// sequence even if all subscribers have left meanwhile, because the sequence may have to release resources. While a
// watcher waits to be opened again, it has no goroutine.
type watcher struct {
	hub    *Hub
	topic  *topic
	of     Topic // as a client has spelled it
	open   Opener
	ctx    context.Context
	cancel context.CancelFunc
	opened chan struct{} // closed when the opener has returned for the first time
	err    error         // of the first call of open; read only once opened is closed
	forget func()        // gives back its part of shares; called when it has ended for good
	reads  atomic.Pointer[Reads]
	again  atomic.Pointer[time.Timer] // the timer that opens it again

	// Only the goroutine uses the rest, or the timer that starts the next goroutine.

	pause time.Duration // before the current opening; 0 for the first one
	ends  int           // how often it has ended
}

// watcherKey is the key of a *watcher in the contexts that openers get.
type watcherKey struct{}

// Watch opens the watcher of the topic of u, unless it is open, and waits until it is open. It waits until ctx ends,
// but at most for OpenTimeout. The error says why the watcher is not open. It is nil if the source of u has no Opener.
func (h *Hub) Watch(ctx context.Context, u *Subscription) error {
	ctx, stop := WithOpenTimeout(ctx)
	defer stop()
	return h.waitWatcher(ctx, u)
}

// WithOpenTimeout returns a context derived from ctx that ends after OpenTimeout. A wait for a watcher that this
// timeout ends returns an error that says so.
func WithOpenTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, OpenTimeout, errOpenLate)
}

// waitWatcher is Watch without OpenTimeout.
func (h *Hub) waitWatcher(ctx context.Context, u *Subscription) error {
	w, err := h.startWatcher(u)
	if err != nil {
		return err
	}
	err = w.wait(ctx)
	if err != nil && context.Cause(ctx) == errOpenLate { //nolint:errorlint // made by WithOpenTimeout
		return errOpenLate
	}
	return err
}

// startWatcher starts the watcher of the topic of u, unless it runs, and does not wait until it is open. The error is
// ErrClosed or ErrTooManyWatchers. The watcher is nil if u needs none or has left its topic.
func (h *Hub) startWatcher(u *Subscription) (*watcher, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := u.topic
	switch {
	case t == nil || u.index < 0:
		return nil, nil
	case u.opener() == nil || u.hubState&isWatched != 0:
		return h.watching[t], nil
	case h.watching[t] == nil && h.closed:
		return nil, ErrClosed
	}
	opens := h.watching[t] == nil
	if !h.shares.watch(u.stream.client, opens) {
		return nil, ErrTooManyWatchers
	}
	if opens {
		h.watching[t] = h.newWatcherLocked(u)
	}
	u.hubState |= isWatched
	return h.watching[t], nil
}

// newWatcherLocked starts a watcher of the topic of u. The hub must not be closed.
func (h *Hub) newWatcherLocked(u *Subscription) *watcher {
	w := &watcher{hub: h, topic: u.topic, of: u.name(), open: u.opener(), opened: make(chan struct{})}
	w.forget = sync.OnceFunc(func() { h.shares.give("", countWatchers, 1) })
	w.ctx, w.cancel = context.WithCancel(h.ctx)
	h.watchers.Go(w.run)
	return w
}

// stop ends w for good. It does not wait for the goroutine of w.
func (w *watcher) stop() {
	w.cancel()
	if again := w.again.Load(); again != nil && again.Stop() {
		w.forget() // no goroutine is left to do it
	}
}

// wait waits until w is open, and returns nil, or the error of its opener. If ctx ends earlier, it returns the error of
// ctx. A nil watcher counts as open.
func (w *watcher) wait(ctx context.Context) error {
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

// run opens w and follows its sequence to the end. Then it plans to open w again, unless there are no subscribers, or
// the first opening has failed, or there is nothing to watch.
func (w *watcher) run() {
	over, began := false, time.Now()
	ctx, cancel := context.WithCancel(context.WithValue(w.ctx, watcherKey{}, w))
	defer func() { // also if the watcher ends the goroutine
		cancel()
		if over || w.err != nil || w.ctx.Err() != nil {
			w.cancel()
			w.forget()
			return
		}
		if time.Since(began) >= reopenMost {
			w.pause = 0
		}
		w.runAgain()
	}()
	seq, err := w.callOpener(ctx)
	if w.err != nil || err == nil && seq == nil { // refused, or there is nothing to watch
		over = true
		return
	}
	if w.pause > 0 {
		if err != nil {
			w.hub.log.Warn("mcp: watcher cannot be opened again", "uri", w.of.URI, "err", err)
			return
		}
		if !failpoint.On("hub-reopened-watch-silent") {
			w.announce() // there may have been changes in the pause
		}
	}
	w.follow(seq)
}

// callOpener calls the opener of the program. After the first call it wakes the requests that wait for the watcher. If
// the first call has failed, these requests get the error, and subscriptions that do not wait move to a new topic,
// where later requests try again: see [Hub.abandonLocked].
func (w *watcher) callOpener(ctx context.Context) (seq iter.Seq2[time.Time, error], err error) {
	first, err := w.pause == 0 && w.ends == 0, errOpenExited
	defer func() {
		if p := recover(); p != nil {
			w.hub.counts.panics.Add(1)
			err = fmt.Errorf("panic in watch function: %v", p)
			w.hub.log.Error("mcp: panic in watch function", "uri", w.of.URI, "panic", p, "stack", string(debug.Stack()))
		}
		if !first {
			return
		}
		if w.err = err; err != nil {
			w.hub.mu.Lock()
			w.hub.abandonLocked(w.topic)
			w.hub.mu.Unlock()
		}
		close(w.opened)
	}()
	return w.open(ctx, w.of.URI)
}

// follow publishes the topic of w for each value of seq until w is cancelled. If seq ends earlier or panics, follow
// returns, and the subscriptions stay, because the program may also publish changes itself.
func (w *watcher) follow(seq iter.Seq2[time.Time, error]) {
	defer func() {
		if p := recover(); p != nil {
			w.hub.counts.panics.Add(1)
			w.hub.log.Error("mcp: panic in watcher", "uri", w.of.URI, "panic", p, "stack", string(debug.Stack()))
			w.announce()
		}
	}()
	for _, err := range seq {
		if w.ctx.Err() != nil {
			return
		}
		if err != nil {
			w.hub.log.Warn("mcp: watcher reports an error", "uri", w.of.URI, "err", err)
		}
		w.announce()
	}
}

// announce publishes the topic of w on this replica, and calls Config.Changed.
func (w *watcher) announce() {
	w.hub.publishTopic(w.topic)
	if w.hub.changed != nil {
		w.hub.changed(w.of.Text())
	}
}

// runAgain sets the timer that opens w again after a pause.
func (w *watcher) runAgain() {
	w.pause = min(max(2*w.pause, reopenFirst), reopenMost)
	w.ends++
	in := w.pause*3/4 + rand.N(w.pause/2) //nolint:gosec // not a secret
	w.hub.log.Warn("mcp: watcher has ended, and is opened again",
		"uri", w.of.URI, "in", in, "ends", w.ends, "of_all", w.hub.reopened.Add(1))
	again := time.AfterFunc(in, func() {
		w.hub.mu.Lock()
		defer w.hub.mu.Unlock()
		if w.hub.closed || w.ctx.Err() != nil {
			w.forget()
			return
		}
		w.hub.watchers.Go(w.run)
	})
	w.again.Store(again)
	if w.ctx.Err() != nil && again.Stop() { // w was stopped before again was stored
		w.forget()
	}
}
