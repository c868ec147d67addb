package pubsub

import "github.com/mcpgen/mcpgen/internal/dev/failpoint"

// SameResource reports whether two URIs are spellings of the URI of one resource. It runs code of the program.
func (h *Hub) SameResource(a, b string) bool { return h.keyOf(Topic{URI: a}) == h.keyOf(Topic{URI: b}) }

// Resources returns the URIs of resources that the session is subscribed to, sorted, as the client has spelled them.
func (t *Streams) Resources() []string {
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	uris := make([]string, 0, len(t.session.uris))
	for _, u := range t.session.uris {
		if u.kind == Resource {
			uris = append(uris, u.uri)
		}
	}
	return uris
}

// Part ends the subscription of the session to a topic. Unlike [Streams.Unsubscribe] it does nothing for other
// spellings of the same URI.
func (t *Streams) Part(target Topic) {
	t.out.mu.Lock()
	left := t.unsubscribeLocked(t.session.findLocked(target))
	t.out.mu.Unlock()
	t.leave(left)
}

// Join subscribes the session to a resource after another process has confirmed the subscription to the client. The
// client gets an update, because it may have missed changes. Join does not wait for the watcher. If the watcher cannot
// be opened, the subscription ends, and failed is called with the error on a goroutine of its own. Join does nothing if
// the session is already subscribed. The error is an [Error].
func (t *Streams) Join(r Request, failed func(error)) error {
	t.out.mu.Lock()
	known := t.session.findLocked(r.Topic) != nil
	t.out.mu.Unlock()
	if known {
		return nil
	}
	u, err := t.Subscribe(r)
	if err != nil {
		return err
	}
	var w *watcher
	if r.Source != nil && r.Exists != nil {
		t.hub.WatchLater(u, true)
	} else if w, err = t.hub.startWatcher(u); err != nil {
		t.Withdraw(u)
		return err
	}
	if !failpoint.On("session-moved-unmarked") {
		u.mark()
	}
	t.Accept(u, nil, func() bool { return true })
	if w != nil {
		go t.joined(u, w, failed)
	}
	return nil
}

// joined waits for w, the watcher of a subscription of Join. If w cannot be opened, it ends the subscription and calls
// failed. It stops waiting when the hub closes.
func (t *Streams) joined(u *Subscription, w *watcher, failed func(error)) {
	ctx, stop := WithOpenTimeout(t.hub.ctx)
	defer stop()
	if err := w.wait(ctx); err != nil && t.hub.ctx.Err() == nil && !u.HasEnded() {
		t.revoke(u)
		failed(err)
	}
}
