package pubsub

import "github.com/mcpgen/mcpgen/internal/dev/failpoint"

// SameResource reports whether two URIs name one resource. It runs code of the program.
func (h *Hub) SameResource(a, b string) bool { return h.keyOf(Topic{URI: a}) == h.keyOf(Topic{URI: b}) }

// Resources returns the URIs that the session is subscribed to, sorted.
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

// Part ends the subscription of the session to a topic as [Streams.Unsubscribe] does, but only the one with this
// spelling.
func (t *Streams) Part(of Topic) {
	t.out.mu.Lock()
	left := t.unsubscribeLocked(t.session.findLocked(of))
	t.out.mu.Unlock()
	t.leave(left)
}

// Join subscribes the session to a resource for which another process has already confirmed the subscription. The
// client gets an update, because it may have missed changes. The watcher is opened without waiting for it; a
// subscription whose watcher cannot be opened ends, and failed is called with the reason on a goroutine of its own.
// Join does nothing if the session is subscribed already. The error is an [Error].
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

// joined waits for the watcher of a subscription of Join. The end of the hub ends the wait.
func (t *Streams) joined(u *Subscription, w *watcher, failed func(error)) {
	ctx, stop := WithOpenTimeout(t.hub.ctx)
	defer stop()
	if err := w.wait(ctx); err != nil && t.hub.ctx.Err() == nil && !u.HasEnded() {
		t.revoke(u)
		failed(err)
	}
}
