package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// opener calls the Watch function of a resource for one URI.
type opener func(ctx context.Context) (iter.Seq2[time.Time, error], error)

// errWatchExited is the error of a Watch function that ended its goroutine.
var errWatchExited = errors.New("watch function ended its goroutine")

// watch is the running watcher of one topic. It lives as long as its topic has subs, on one
// goroutine, which calls the opener and then follows the sequence that it returned. Every
// sequence is followed, even if all subs have left meanwhile, so that it can release what it holds.
type watch struct {
	topic  *topic
	ctx    context.Context
	cancel context.CancelFunc
	opened chan struct{} // closed when the opener has returned
	err    error         // of the opener; read after opened
}

// watchLocked starts the watcher of t. The hub is not closed.
func (h *hub) watchLocked(t *topic, open opener) *watch {
	w := &watch{topic: t, opened: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(h.ctx)
	h.watchers.Go(func() { h.watch(w, open) })
	return w
}

// watch is the life of w.
func (h *hub) watch(w *watch, open opener) {
	defer w.cancel()
	if seq := h.openWatch(w, open); seq != nil {
		h.follow(w, seq)
	}
}

// openWatch calls open and tells those who wait. If it fails, the topic is forgotten: whoever
// waits gets the error and leaves, whoever comes later tries again.
func (h *hub) openWatch(w *watch, open opener) (seq iter.Seq2[time.Time, error]) {
	w.err = errWatchExited
	defer func() {
		if p := recover(); p != nil {
			w.err = fmt.Errorf("panic in watch function: %v", p)
			h.log.Error("mcp: panic in watch function", "uri", w.topic.uri, "panic", p, "stack", string(debug.Stack()))
		}
		if w.err != nil {
			h.mu.Lock()
			h.forgetLocked(w.topic)
			h.mu.Unlock()
		}
		close(w.opened)
	}()
	seq, w.err = open(w.ctx)
	if w.err != nil {
		seq = nil
	}
	return seq
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
	if w.ctx.Err() == nil {
		h.log.Debug("mcp: watcher ended by itself", "uri", uri)
	}
}

// wait returns when the watcher runs, or why it does not; a nil watch always runs. It gives up
// when ctx ends.
func (w *watch) wait(ctx context.Context) error {
	if w == nil {
		return nil
	}
	select {
	case <-w.opened:
		return w.err
	case <-ctx.Done():
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

// ready begins the watcher of the topic that u has joined, and waits for it.
func (h *hub) ready(ctx context.Context, u *sub) error {
	w, err := h.begin(u)
	if err != nil {
		return err
	}
	return w.wait(ctx)
}
