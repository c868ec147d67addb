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

// OpenTimeout is how long a request waits for a watcher to be opened.
const OpenTimeout = 10 * time.Second

// A watcher that panics, or whose sequence ends while there are subscribers, is opened again after a pause. The first
// pause is two seconds, each further one twice as long, up to a minute; all vary by a quarter. After a watcher that has
// run for a minute the pauses begin with two seconds again.
const (
	reopenFirst = 2 * time.Second
	reopenMost  = time.Minute
)

var (
	// errOpenExited is the error of an opener that ended its goroutine.
	errOpenExited = errors.New("watch function ended its goroutine")
	// errOpenLate is the error of requests that waited for an opener longer than OpenTimeout. If the opener returns after
	// all, later requests succeed.
	errOpenLate = errors.New("watch function takes too long")
)

// watcher publishes one topic whenever a sequence of the program reports a change. It lives as long as the topic has
// subscriptions, on one goroutine, which calls the opener and then runs the sequence that it returned. Every sequence
// is run, even if all subscribers have left meanwhile, so that it can release what it holds. While a watcher waits to
// be opened again, it has no goroutine.
type watcher struct {
	hub    *Hub
	topic  *topic
	of     Topic // as a client has spelled it
	open   Opener
	ctx    context.Context
	cancel context.CancelFunc
	opened chan struct{} // closed when the opener has returned for the first time
	err    error         // of that first call; only read once opened is closed
	forget func()        // gives back its share; called once it runs no more
	reads  atomic.Pointer[Reads]
	again  atomic.Pointer[time.Timer] // opens it once more

	// The rest belongs to the goroutine, or to the timer that starts the next one.

	pause time.Duration // before it was opened last; 0 for the first time
	ends  int           // how often it has ended
}

// watcherKey is the key of a *watcher in the contexts that openers get.
type watcherKey struct{}

// Watch opens the watcher of the topic of u, unless it is open, and waits for it until ctx ends, at most for
// OpenTimeout. It returns why there is no watcher; nil if u wants none.
func (h *Hub) Watch(ctx context.Context, u *Subscription) error {
	ctx, stop := WithOpenTimeout(ctx)
	defer stop()
	return h.waitWatcher(ctx, u)
}

// WithOpenTimeout returns a context of ctx that ends after OpenTimeout. Those who wait with it for a watcher get an
// error that says so.
func WithOpenTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, OpenTimeout, errOpenLate)
}

// waitWatcher is Watch without a limit of time.
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

// startWatcher starts the watcher of the topic that u has joined, unless it runs. It fails if the hub is
// closed, or has too many watchers. The watcher is nil if u wants none or has left.
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

// newWatcherLocked returns the watcher of the topic of u, which runs. The hub is not closed.
func (h *Hub) newWatcherLocked(u *Subscription) *watcher {
	w := &watcher{hub: h, topic: u.topic, of: u.name(), open: u.opener(), opened: make(chan struct{})}
	w.forget = sync.OnceFunc(func() { h.shares.give("", countWatchers, 1) })
	w.ctx, w.cancel = context.WithCancel(h.ctx)
	h.watchers.Go(w.run)
	return w
}

// stop ends w.
func (w *watcher) stop() {
	w.cancel()
	if again := w.again.Load(); again != nil && again.Stop() {
		w.forget() // no goroutine runs that would
	}
}

// wait returns when w is open, or why it is not; a nil watcher always is. It gives up when ctx ends before.
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

// run opens w and follows it. Afterwards w is opened again later, unless there are no subscribers or there is nothing
// to watch.
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
			w.announce() // changes in between are unknown
		}
	}
	w.follow(seq)
}

// callOpener calls the opener of the program. After the first call it wakes the requests that wait for it; if that call
// fails, they get the error. Subscriptions that do not wait for the watcher then move to a new topic, where later
// requests try again: see [Hub.abandonLocked].
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

// follow publishes the topic of w for each value of seq until w is cancelled. When the sequence ends earlier or panics,
// the subscriptions stay: the program may publish changes by other means.
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

// announce publishes the topic of w.
func (w *watcher) announce() {
	w.hub.publishTopic(w.topic)
	if w.hub.changed != nil {
		w.hub.changed(w.of.Text())
	}
}

// runAgain opens w again after a pause.
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
	if w.ctx.Err() != nil && again.Stop() { // ended between the two
		w.forget()
	}
}
