package pubsub

import (
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// A resource that does not exist is not watched. A subscription to it is absent. The hub checks whether the resource
// exists when an update of it is published and when a client has read it. It also checks from time to time: for each
// client up to checkAtOnce subscriptions in each checkEvery, one after the other.
const (
	checkEvery  = time.Minute
	checkAtOnce = 100
)

// absences schedules the checks of absent subscriptions. It has no list of them, because there may be many: they are
// found by isAbsent in their streams and topics.
type absences struct {
	hub *Hub

	mu      sync.Mutex
	clients map[string]*absentees // by Limits.Client; only clients with absent subscriptions or a running check
}

// absentees has the absent subscriptions of one client. It is guarded by absences.mu.
type absentees struct {
	client  string
	streams []*Stream       // the streams with absent subscriptions
	at      int             // the index in streams where checkSome goes on
	soon    []*Subscription // the queue of checks
	running bool            // a goroutine checks the subscriptions in soon
	timer   *time.Timer     // calls checkSome
}

// WatchLater leaves a topic of s without a watcher until [Source].Exists reports that the resource exists. If soon is
// true, the first check begins right after WatchLater. It does nothing if s has ended.
func (t *Streams) WatchLater(s *Stream, target Topic, soon bool) {
	if u := t.subscriptionTo(s, target); u != nil {
		t.hub.WatchLater(u, soon)
	}
}

// WatchLater is [Streams.WatchLater] for the topic of u.
func (h *Hub) WatchLater(u *Subscription, soon bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchLaterLocked(u, soon || u.dirty.Load()) // an update may have come since Exists was called
}

// watchLaterLocked is WatchLater for a caller that has locked the hub.
func (h *Hub) watchLaterLocked(u *Subscription, soon bool) {
	if h.closed || u.topic == nil || u.index < 0 || u.hubState != 0 {
		return
	}
	u.hubState |= isAbsent
	u.topic.absent++
	u.stream.absent++
	a := &h.absences
	a.mu.Lock()
	defer a.mu.Unlock()
	of := a.ofLocked(u.stream.client)
	if u.stream.absent == 1 {
		if of.streams = append(of.streams, u.stream); len(of.streams) == 1 {
			of.timer.Reset(checkEvery)
		}
	}
	if soon {
		a.queueLocked(of, u)
	}
}

// ofLocked returns the absentees of a client. The first call for a client makes them.
func (a *absences) ofLocked(client string) *absentees {
	if a.clients == nil {
		a.clients = make(map[string]*absentees)
	}
	of := a.clients[client]
	if of == nil {
		of = &absentees{client: client}
		of.timer = time.AfterFunc(checkEvery, func() { a.checkSome(of) })
		a.clients[client] = of
	}
	return of
}

// queueLocked queues u for a check, unless it is queued already or not absent. absences.mu must be held, and Hub.mu at
// least for reading.
func (a *absences) queueLocked(of *absentees, u *Subscription) {
	if u.queried || u.hubState&isAbsent == 0 || a.hub.closed {
		return
	}
	u.queried = true
	of.soon = append(of.soon, u)
	if !of.running {
		of.running = true
		a.hub.watchers.Go(func() { a.check(of) })
	}
}

// checkSoonLocked queues the absent subscriptions to t for a check. Hub.mu must be held, at least for reading.
func (a *absences) checkSoonLocked(t *topic) {
	if t.absent == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range t.subscriptions() {
		if of := a.clients[u.stream.client]; of != nil {
			a.queueLocked(of, u)
		}
	}
}

// checkSome queues the next subscriptions of a client for a check.
func (a *absences) checkSome(of *absentees) {
	a.hub.mu.RLock()
	defer a.hub.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hub.closed || len(of.streams) == 0 {
		return
	}
	most := checkAtOnce
	for range len(of.streams) + 1 { // one more than there are streams: the last is the first again, from its beginning
		of.at %= len(of.streams)
		if most = a.queueSomeLocked(of, of.streams[of.at], most); most == 0 {
			break
		}
		of.at++
	}
	of.timer.Reset(checkEvery)
}

// queueSomeLocked queues up to limit further absent subscriptions of s for a check. It returns limit minus the number
// of those queued.
func (a *absences) queueSomeLocked(of *absentees, s *Stream, limit int) int {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	i := min(s.nextAbsent, len(s.uris))
	for ; i < len(s.uris) && limit > 0; i++ {
		if u := s.uris[i]; u.hubState&isAbsent != 0 && !u.queried {
			a.queueLocked(of, u)
			limit--
		}
	}
	if s.nextAbsent = i; i == len(s.uris) {
		s.nextAbsent = 0
	}
	return limit
}

// check checks the queued subscriptions of a client, one after the other, until the queue is empty.
func (a *absences) check(of *absentees) {
	for u := a.next(of); u != nil; u = a.next(of) {
		if u.source.Exists(u.uri) {
			a.appeared(u)
		}
	}
}

// next removes the first subscription from the queue and returns it. It returns nil if the queue is empty or the hub
// closes; the goroutine must end then.
func (a *absences) next(of *absentees) *Subscription {
	a.hub.mu.RLock()
	defer a.hub.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(of.soon) > 0 && a.hub.ctx.Err() == nil {
		u := of.soon[0]
		of.soon[0] = nil
		of.soon = of.soon[1:]
		u.queried = false
		if u.hubState&isAbsent != 0 {
			return u
		}
	}
	of.soon, of.running = nil, false
	a.forgetLocked(of)
	return nil
}

// appeared opens the watcher of u, whose resource has come to exist. It marks u, because the resource may have changed
// before the watcher was open. If the watcher cannot be opened, the subscription ends, or stays absent if there are too
// many watchers.
func (a *absences) appeared(u *Subscription) {
	h := a.hub
	h.mu.Lock()
	a.removeLocked(u)
	h.mu.Unlock()
	ctx, stop := WithOpenTimeout(h.ctx)
	defer stop()
	switch err := h.waitWatcher(ctx, u); {
	case err == ErrTooManyWatchers: //nolint:errorlint // not wrapped
		h.mu.Lock()
		h.watchLaterLocked(u, false) // not soon, even if u is dirty: otherwise it would be checked again and again
		h.mu.Unlock()
	case err != nil && h.ctx.Err() == nil && !u.HasEnded():
		h.log.Warn("mcp: subscription ended: what has appeared cannot be watched", "uri", u.uri, "err", err)
		u.stream.revoke(u)
		return
	}
	if !failpoint.On("hub-appeared-unmarked") {
		u.mark()
	}
}

// removeLocked makes u not absent any more. It does nothing if u is not absent. Hub.mu must be held.
func (a *absences) removeLocked(u *Subscription) {
	if u.hubState&isAbsent == 0 {
		return
	}
	u.hubState &^= isAbsent
	u.topic.absent--
	if u.stream.absent--; u.stream.absent > 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	of := a.clients[u.stream.client]
	i := slices.Index(of.streams, u.stream)
	if of.streams = slices.Delete(of.streams, i, i+1); of.at > i {
		of.at--
	}
	a.forgetLocked(of)
}

// forgetLocked forgets a client without absent subscriptions, unless its goroutine still runs. So a client that
// subscribes again and again never has more than one goroutine.
func (a *absences) forgetLocked(of *absentees) {
	if len(of.streams) > 0 {
		return
	}
	of.timer.Stop()
	if !of.running {
		delete(a.clients, of.client)
	}
}

// Found says that a client has read the resource at uri. The absent subscriptions to the resource are checked soon.
func (h *Hub) Found(uri string) {
	if h.resources.empty() {
		return
	}
	k := h.keyOf(Topic{URI: uri})
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.resources.find(k); t != nil {
		h.absences.checkSoonLocked(t)
	}
}
