package pubsub

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what [NewHub] needs.
type Config struct {
	// Log receives what watchers do wrong.
	Log *slog.Logger
	// NewKeyer returns a keyer.
	NewKeyer func() Keyer
	// Context has the values that the contexts of watchers have. Its end means nothing.
	Context context.Context
	// Grace is how long Close waits for watchers that do not end.
	Grace time.Duration
	// Subscriptions and Watchers are the most subscriptions to resources, and the most watchers, at the same time; 0 means
	// no bound. One client ([Limits].Client) has at most a quarter of the subscriptions, and its watched subscriptions are
	// at most a quarter of the watchers. Once little is left it may get even less, so that others get some
	// ([fair.Scarce]).
	Subscriptions, Watchers int
	// Changed, unless it is nil, is called when a watcher reports a change, with the text of its topic. No lock is held.
	// It must not block.
	Changed func(text string)
}

// Hub is the registry of all subscriptions of a server, whatever their connections and streams. A [Topic] is one
// resource or one list; a [Subscription] is the interest of one stream in one topic.
//
// Publishing marks the subscriptions of one topic and is done: it neither writes nor waits for anybody who does. What
// was marked is written by the [Outbox] of its connection. A Hub is safe for concurrent use.
type Hub struct {
	log      *slog.Logger
	grace    time.Duration
	start    time.Time // the instants of due queues count from here
	keyers   sync.Pool // of Keyer
	ctx      context.Context
	cancel   context.CancelFunc
	watchers sync.WaitGroup // Add under mu and only if not closed
	changed  func(uri string)
	reopened atomic.Int64 // how often a watcher had to be opened again
	shares   shares
	// listChanges counts changes of lists. listsChanged has for each list the count after its last change.
	listChanges  atomic.Uint64
	listsChanged [maxKinds]atomic.Uint64
	counts       counters
	absences     absences
	pumps        pumps

	mu        sync.RWMutex
	closed    bool
	lists     [maxKinds]topic     // by kind; that of Resource stays unused
	resources topics              // none is without subscriptions
	watching  map[*topic]*watcher // of the resources for which a subscription has started a watcher
}

// NewHub returns a hub. The caller closes it.
func NewHub(c Config) *Hub {
	h := &Hub{log: c.Log, grace: c.Grace, changed: c.Changed, start: time.Now()}
	h.resources.seeds, h.watching = newSeeds(), make(map[*topic]*watcher)
	h.absences.hub = h
	h.pumps.now, h.pumps.runs = h.now, h.pumps.run
	h.keyers.New = func() any { return c.NewKeyer() }
	h.shares.bound(c.Subscriptions, c.Watchers)
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(c.Context))
	return h
}

// now returns the time since the hub was made.
func (h *Hub) now() time.Duration { return time.Since(h.start) }

// Publish marks the subscriptions to the resource that uri names, because it may have changed. It never waits for a
// connection, and allocates nothing apart from what the [Keyer] does.
//
// It also marks the subscriptions to uri as a plain text: a program may build a URI that a more specific template
// takes, such as FileURI("a/size") where {+path}/size is a template too.
func (h *Hub) Publish(uri string) {
	h.counts.published.Add(1)
	if h.resources.empty() {
		return
	}
	k, _ := h.keyers.Get().(Keyer)
	defer h.keyers.Put(k)
	_, text := k.Key(uri)
	hash := h.resources.hash(text)
	h.mu.RLock()
	defer h.mu.RUnlock()
	again := h.changedLocked(hash)
	if string(text) != uri {
		again += h.changedLocked(h.resources.hashString(uri))
	}
	h.coalesced(again)
}

// PublishNamed is [Hub.Publish] for a topic that has a name.
func (h *Hub) PublishNamed(of Topic) {
	h.counts.published.Add(1)
	if h.resources.empty() {
		return
	}
	k := h.keyOf(of)
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.resources.find(k); t != nil {
		h.coalesced(t.markLocked())
	}
}

// Sources returns the sources of the subscriptions to a topic that is no list.
func (h *Hub) Sources(of Topic) (list []*Source) {
	if h.resources.empty() {
		return nil
	}
	k := h.keyOf(of)
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.resources.find(k); t != nil {
		for _, u := range t.subscriptions() {
			if u.source != nil {
				list = append(list, u.source)
			}
		}
	}
	return list
}

// changedLocked marks the subscriptions of the topics whose text has this hash. Those that waited for their resource
// are checked, because it may exist now. It returns how many were marked already.
func (h *Hub) changedLocked(hash uint64) (again int) {
	for t := h.resources.first(hash); t != nil; t = t.next {
		if t.text == hash {
			again += t.markLocked()
			h.absences.checkSoonLocked(t)
		}
	}
	return again
}

// PublishAll marks the subscriptions to all instances of a resource, which is given by its number.
func (h *Hub) PublishAll(resource int) {
	h.counts.published.Add(1)
	h.mu.RLock()
	defer h.mu.RUnlock()
	again := 0
	defer func() { h.coalesced(again) }()
	for t := range h.resources.all() {
		if int(t.resource) == resource {
			again += t.markLocked()
			h.absences.checkSoonLocked(t)
		}
	}
}

// PublishList marks the subscriptions to a list, because it may have changed. It never waits for a connection.
func (h *Hub) PublishList(kind Kind) {
	h.noteList(kind)
	h.publishTopic(&h.lists[kind])
}

// ListChanges returns how many changes of lists there were. If a client can be told only later, the caller passes this
// count to [Streams.OpenSession] then.
func (h *Hub) ListChanges() uint64 { return h.listChanges.Load() }

// noteList notes a change of a list, before its subscriptions are marked.
func (h *Hub) noteList(kind Kind) {
	n, changed := h.listChanges.Add(1), &h.listsChanged[kind]
	for old := changed.Load(); old < n && !changed.CompareAndSwap(old, n); old = changed.Load() {
	}
}

// publishTopic marks the subscriptions to t.
func (h *Hub) publishTopic(t *topic) {
	h.counts.published.Add(1)
	h.mu.RLock()
	defer h.mu.RUnlock()
	h.coalesced(t.markLocked())
}

// coalesced counts subscriptions that were marked already.
func (h *Hub) coalesced(n int) {
	if n > 0 {
		h.counts.coalesced.Add(int64(n))
	}
}

// keyOf returns the key of a topic that is no list. It runs code of the program, so no lock is held.
func (h *Hub) keyOf(t Topic) key {
	if t.Kind.isNamed() {
		return h.resources.keyOf(-1-int(t.Kind), []byte(t.URI)) // -1 is for URIs that name no resource
	}
	k, _ := h.keyers.Get().(Keyer)
	defer h.keyers.Put(k)
	return h.resources.keyOf(k.Key(t.URI))
}

// join adds u to its topic; from now on it is marked whenever that is published.
//
// join does not open the watcher of the resource: the first one that waits for it does, because until then the client
// may turn out to have no right to u. join does nothing if u is in a topic already or has ended, and fails if the hub
// is closed. It runs code of the program.
func (h *Hub) join(u *Subscription) error {
	var k key
	if !u.kind.isList() {
		k = h.keyOf(u.name())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	if u.topic != nil || u.HasEnded() {
		return nil
	}
	entry := &h.lists[u.kind]
	if !u.kind.isList() {
		entry = h.resources.find(k)
	}
	if entry == nil {
		entry = h.resources.insert(k)
	}
	entry.addLocked(u)
	return nil
}

// leave removes u from its topic; the last subscription to a resource ends its watcher. It does nothing if u is in no
// topic. The caller must have ended u or its stream before, so that u cannot join again.
func (h *Hub) leave(u *Subscription) {
	if cancel := h.remove(u); cancel != nil {
		cancel()
	}
}

// remove is leave without the end of the watcher. It returns the function that ends it; nil if none is to end.
func (h *Hub) remove(u *Subscription) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := u.topic
	if t == nil || u.index < 0 {
		return nil
	}
	t.removeLocked(u)
	h.absences.removeLocked(u)
	if u.hubState&isWatched != 0 {
		h.shares.give(u.stream.client, countWatched, 1)
	}
	if len(t.subscriptions()) > 0 || u.kind.isList() {
		return nil
	}
	h.resources.remove(t)
	w := h.watching[t]
	if w == nil {
		return nil
	}
	delete(h.watching, t)
	return w.stop
}

// abandonLocked removes t, whose watcher cannot be opened, with the subscriptions that wait for the watcher. The other
// ones, such as those to a resource that did not exist, move to a new topic with the same key.
func (h *Hub) abandonLocked(t *topic) {
	h.resources.remove(t)
	for _, u := range slices.Clone(t.subscriptions()) {
		switch u.hubState {
		case isWatched:
			continue
		case isWatched | isAbsent: // its client has subscribed once more, in vain
			u.hubState &^= isWatched
			h.shares.give(u.stream.client, countWatched, 1)
		}
		to := h.resources.find(t.key())
		if to == nil {
			to = h.resources.insert(t.key())
		}
		t.removeLocked(u)
		to.addLocked(u)
		if u.hubState&isAbsent != 0 {
			t.absent--
			to.absent++
		}
	}
	if len(t.subscriptions()) == 0 {
		delete(h.watching, t)
	}
}

// Stats are counts of a hub at one instant.
type Stats struct {
	// Subscriptions counts those to resources and to lists, Resources the resources with subscribers.
	Subscriptions, Resources int
	// Watchers counts the watchers that have been opened for these, or are about to be.
	Watchers int
	// Reopened is how often a watcher had to be opened again since the hub was made.
	Reopened int64
	// RefusedSubscriptions and RefusedWatchers count what [Config] has not allowed since the hub was made.
	RefusedSubscriptions, RefusedWatchers int64
}

// Stats counts what there is. Its cost is proportional to the number of resources.
func (h *Hub) Stats() Stats {
	h.mu.RLock()
	defer h.mu.RUnlock()
	s := Stats{
		Reopened:             h.reopened.Load(),
		RefusedSubscriptions: h.shares.refusals(countSubscriptions),
		RefusedWatchers:      h.shares.refusals(countWatched),
	}
	for t := range h.resources.all() {
		s.Resources++
		s.Subscriptions += len(t.subscriptions())
		if h.watching[t] != nil {
			s.Watchers++
		}
	}
	for i := range h.lists {
		s.Subscriptions += len(h.lists[i].subscriptions())
	}
	return s
}

// Close refuses further subscriptions, ends all watchers and waits for them for at most Config.Grace.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()

	ended := make(chan struct{})
	go func() {
		h.watchers.Wait()
		close(ended)
	}()
	t := time.NewTimer(h.grace)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		h.log.Warn("mcp: a watcher ignores that its context has ended")
	}
}
