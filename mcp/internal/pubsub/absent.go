package pubsub

import (
	"context"
	"sync"
	"time"
)

// What is not there is not watched. A subscription to it is looked at again when an update of it is published, when a
// client has read it, and else from time to time: for each client one subscription at a time, and lookAtOnce of them
// each lookEvery.
const (
	lookEvery  = time.Minute
	lookAtOnce = 100
)

// absences are the subscriptions to what was not there when it was looked for. The zero value is ready for use.
type absences struct {
	mu      sync.Mutex
	clients map[string]*absentees // by Limits.Client; none is without any
}

// absentees are those of one client.
type absentees struct {
	all     map[*Subscription]absence
	soon    []*Subscription // those that are queued
	running bool            // a goroutine looks for those in soon
	timer   *time.Timer     // looks for some of all
}

// absence is what is known of one of them.
type absence struct {
	exists func(uri string) bool
	queued bool // in soon
}

// WatchLater leaves a URI of s without a watcher until exists, which runs code of the program, says that there is
// something to watch. soon asks at once, though not before WatchLater returns. Nothing happens if s has ended.
func (t *Streams) WatchLater(s *Stream, uri string, exists func(uri string) bool, soon bool) {
	if u := t.subscriptionTo(s, uri); u != nil {
		t.hub.WatchLater(u, exists, soon)
	}
}

// WatchLater is [Streams.WatchLater] for a subscription.
func (h *Hub) WatchLater(u *Subscription, exists func(uri string) bool, soon bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || u.topic == nil || u.index < 0 || u.watched || u.absent {
		return
	}
	u.absent = true
	u.topic.absent++
	a := &h.absences
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.clients == nil {
		a.clients = make(map[string]*absentees)
	}
	client := u.stream.client
	of := a.clients[client]
	if of == nil {
		of = &absentees{all: make(map[*Subscription]absence)}
		of.timer = time.AfterFunc(lookEvery, func() { h.lookAround(of) })
		a.clients[client] = of
	}
	of.all[u] = absence{exists: exists}
	if soon || u.dirty.Load() { // an update may have come between the look and now
		a.queueLocked(h, of, u)
	}
}

// queueLocked queues u to be looked for; mu is held, and at least for reading that of the hub.
func (a *absences) queueLocked(h *Hub, of *absentees, u *Subscription) {
	x, known := of.all[u]
	if !known || x.queued || h.closed {
		return
	}
	x.queued = true
	of.all[u] = x
	of.soon = append(of.soon, u)
	if !of.running {
		of.running = true
		h.watchers.Go(func() { h.findAbsent(of) })
	}
}

// lookSoonLocked queues the subscriptions of t whose resource was not there; mu is held, at least for reading.
func (h *Hub) lookSoonLocked(t *topic) {
	a := &h.absences
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range t.subscriptions {
		if of := a.clients[u.stream.client]; u.absent && of != nil {
			a.queueLocked(h, of, u)
		}
	}
}

// lookAround queues some of the subscriptions of a client. The map gives them in a random order.
func (h *Hub) lookAround(of *absentees) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	a := &h.absences
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.closed || len(of.all) == 0 {
		return
	}
	n := 0
	for u := range of.all {
		if n++; n > lookAtOnce {
			break
		}
		a.queueLocked(h, of, u)
	}
	of.timer.Reset(lookEvery)
}

// findAbsent looks for what is queued of a client, one after the other.
func (h *Hub) findAbsent(of *absentees) {
	for {
		u, exists := h.absences.next(of, h.ctx)
		if u == nil {
			return
		}
		if exists(u.uri) {
			h.appeared(u, exists)
		}
	}
}

// next takes the first of the queue. Without any the goroutine that looks ends.
func (a *absences) next(of *absentees, ctx context.Context) (*Subscription, func(uri string) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(of.soon) > 0 && ctx.Err() == nil {
		u := of.soon[0]
		of.soon[0] = nil
		of.soon = of.soon[1:]
		if x, still := of.all[u]; still {
			x.queued = false
			of.all[u] = x
			return u, x.exists
		}
	}
	of.soon, of.running = nil, false
	return nil, nil
}

// appeared watches what u is subscribed to, and marks u: what has changed before the watcher was open is unknown.
func (h *Hub) appeared(u *Subscription, exists func(uri string) bool) {
	h.mu.Lock()
	h.presentLocked(u)
	h.mu.Unlock()
	ctx, stop := WithOpenTimeout(h.ctx)
	defer stop()
	switch err := h.waitWatcher(ctx, u); {
	case err == ErrTooManyWatchers: //nolint:errorlint // not wrapped
		h.WatchLater(u, exists, false)
	case err != nil && h.ctx.Err() == nil && !u.HasEnded():
		h.log.Warn("mcp: subscription ended: what has appeared cannot be watched", "uri", u.uri, "err", err)
		u.stream.revoke(u)
		return
	}
	u.mark()
}

// presentLocked takes u out of the absences; mu is held.
func (h *Hub) presentLocked(u *Subscription) {
	if !u.absent {
		return
	}
	u.absent = false
	u.topic.absent--
	a := &h.absences
	a.mu.Lock()
	defer a.mu.Unlock()
	of := a.clients[u.stream.client]
	if delete(of.all, u); len(of.all) == 0 {
		of.timer.Stop()
		delete(a.clients, u.stream.client)
	}
}

// Found says that a client has read the resource at uri.
func (h *Hub) Found(uri string) {
	if h.isIdle() {
		return
	}
	k := h.keyOf(uri)
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.resources.find(k); t != nil && t.absent > 0 {
		h.lookSoonLocked(t)
	}
}
