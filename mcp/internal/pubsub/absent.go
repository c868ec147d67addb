package pubsub

import (
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// A resource that does not exist is not watched. Whether it exists by now is checked when an update of it is published,
// when a client has read it, and else from time to time: for each client one subscription at a time, and up to
// checkAtOnce of them in each checkEvery.
const (
	checkEvery  = time.Minute
	checkAtOnce = 100
)

// absences schedules the checks of subscriptions to resources that did not exist. The subscriptions themselves are
// marked in their streams and topics, because there may be many.
type absences struct {
	hub *Hub

	mu      sync.Mutex
	clients map[string]*absentees // by Limits.Client; only those with absent subscriptions, or a running check
}

// absentees has the absent subscriptions of one client. It is guarded by absences.mu.
type absentees struct {
	client  string
	streams []*Stream       // those with absent subscriptions
	at      int             // the index of the stream that is next
	soon    []*Subscription // the queue of checks
	running bool            // a goroutine checks what is in soon
	timer   *time.Timer     // calls checkSome
}

// WatchLater leaves a topic of s without a watcher until its [Source].Exists, code of the program, reports that there
// is something to watch. If soon is true, the first check begins right after WatchLater. Nothing happens if s has
// ended.
func (t *Streams) WatchLater(s *Stream, of Topic, soon bool) {
	if u := t.subscriptionTo(s, of); u != nil {
		t.hub.WatchLater(u, soon)
	}
}

// WatchLater is [Streams.WatchLater] for a subscription.
func (h *Hub) WatchLater(u *Subscription, soon bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchLaterLocked(u, soon || u.dirty.Load()) // an update may have come between the answer and now
}

// watchLaterLocked is WatchLater with the hub locked.
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

// ofLocked returns the absentees of a client, and makes them the first time.
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

// queueLocked queues u for a check. absences.mu is held, and the lock of the hub at least for reading.
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

// checkSoonLocked queues the subscriptions of t whose resource was not there; the hub is locked, at least for reading.
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
	for range len(of.streams) + 1 { // the last round is for the first stream again, from its beginning
		of.at %= len(of.streams)
		if most = a.queueSomeLocked(of, of.streams[of.at], most); most == 0 {
			break
		}
		of.at++
	}
	of.timer.Reset(checkEvery)
}

// queueSomeLocked queues further subscriptions of s, as many as the limit most allows. It returns how many more may be
// queued.
func (a *absences) queueSomeLocked(of *absentees, s *Stream, most int) int {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	i := min(s.nextAbsent, len(s.uris))
	for ; i < len(s.uris) && most > 0; i++ {
		if u := s.uris[i]; u.hubState&isAbsent != 0 && !u.queried {
			a.queueLocked(of, u)
			most--
		}
	}
	if s.nextAbsent = i; i == len(s.uris) {
		s.nextAbsent = 0
	}
	return most
}

// check checks the queued subscriptions of a client, one after the other.
func (a *absences) check(of *absentees) {
	for u := a.next(of); u != nil; u = a.next(of) {
		if u.source.Exists(u.uri) {
			a.appeared(u)
		}
	}
}

// next takes the first subscription out of the queue. It returns nil if the queue is empty; then the goroutine ends.
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

// appeared opens the watcher of u, whose resource exists now. It marks u, because changes before the watcher was open
// are unknown.
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
		h.watchLaterLocked(u, false) // not soon, even if u is dirty: it would be checked again and again
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

// removeLocked removes u from the absences. The hub is locked.
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

// forgetLocked forgets a client without absences, unless its goroutine still runs. So a client that subscribes again
// and again has no more than one goroutine.
func (a *absences) forgetLocked(of *absentees) {
	if len(of.streams) > 0 {
		return
	}
	of.timer.Stop()
	if !of.running {
		delete(a.clients, of.client)
	}
}

// Found says that a client has read the resource at uri: subscriptions that wait for the resource are checked.
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
