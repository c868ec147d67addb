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
	// Log receives records about errors and panics of watchers.
	Log *slog.Logger
	// NewKeyer returns a new keyer. The hub may call it on several goroutines at the same time.
	NewKeyer func() Keyer
	// Context has the values for the contexts of watchers. The hub ignores its end.
	Context context.Context
	// Grace is the longest time that Close waits for watchers to end.
	Grace time.Duration
	// Subscriptions and Watchers limit the subscriptions, except those to lists, and the watchers of all clients together;
	// 0 means no limit. One client ([Limits].Client) has at most a quarter of Subscriptions, and its watched subscriptions
	// are at most a quarter of Watchers. When little is left, a client gets even less, so that others get some
	// ([fair.Scarce]).
	Subscriptions, Watchers int
	// Changed is called when a watcher reports a change, with the text of its topic; nil for no call. No lock is held. It
	// must not block.
	Changed func(text string)
}

// Hub is the registry of all subscriptions of a server, from all connections. A [Topic] is for example a resource or a
// list. A [Subscription] is that of one stream to one topic.
//
// A publication only marks the subscriptions to one topic: it writes nothing and waits for no write. The [Outbox] of
// each connection writes the updates of the marked subscriptions. A Hub is safe for concurrent use.
type Hub struct {
	log      *slog.Logger
	grace    time.Duration
	start    time.Time // the times in due queues are durations since start
	keyers   sync.Pool // of Keyer
	ctx      context.Context
	cancel   context.CancelFunc
	watchers sync.WaitGroup // Add under mu and only if not closed
	changed  func(uri string)
	reopened atomic.Int64 // how often a watcher had to be opened again
	shares   shares
	// listChanges counts the changes of all lists. listsChanged has, for each list, the value of listChanges after its
	// last change.
	listChanges  atomic.Uint64
	listsChanged [maxKinds]atomic.Uint64
	counts       counters
	absences     absences
	pumps        pumps

	mu        sync.RWMutex
	closed    bool
	lists     [maxKinds]topic     // by kind; used only for kinds of lists
	resources topics              // each has subscriptions
	watching  map[*topic]*watcher // only topics for which a subscription has started a watcher
}

// NewHub returns a hub. The caller must close it.
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

// Publish marks the subscriptions to the resource at uri, because it may have changed. It never waits for a connection.
// It allocates nothing unless the [Keyer] does.
//
// It also marks the subscriptions whose key has uri itself as its text. This is for a program that builds a URI of one
// template which a more specific template matches too, such as FileURI("a/size") if {+path}/size is a template.
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

// PublishNamed is [Hub.Publish] for a named topic.
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

// Sources returns the sources of the subscriptions to a topic that is no list: one for each subscription with a source.
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

// changedLocked marks the subscriptions of the topics whose text has this hash, and returns how many of them were
// already marked. It also plans checks of the absent ones, because their resource may exist now.
func (h *Hub) changedLocked(hash uint64) (again int) {
	for t := h.resources.first(hash); t != nil; t = t.next {
		if t.text == hash {
			again += t.markLocked()
			h.absences.checkSoonLocked(t)
		}
	}
	return again
}

// PublishAll marks the subscriptions to all instances of the declared resource with this number (see [Keyer]).
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

// ListChanges returns the number of changes of lists so far. A caller remembers this number for [Streams.OpenSession],
// if the client can be told of later changes only when the stream is open.
func (h *Hub) ListChanges() uint64 { return h.listChanges.Load() }

// noteList counts a change of a list. It must be called before the subscriptions are marked.
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

// coalesced counts n subscriptions that were already marked.
func (h *Hub) coalesced(n int) {
	if n > 0 {
		h.counts.coalesced.Add(int64(n))
	}
}

// keyOf returns the key of a topic that is no list. It may run code of the program, so no lock may be held.
func (h *Hub) keyOf(t Topic) key {
	if t.Kind.isNamed() {
		return h.resources.keyOf(-1-int(t.Kind), []byte(t.URI)) // -1 is for URIs that name no resource
	}
	k, _ := h.keyers.Get().(Keyer)
	defer h.keyers.Put(k)
	return h.resources.keyOf(k.Key(t.URI))
}

// join adds u to its topic. From this time u is marked whenever the topic is published.
//
// join does not start a watcher, because the client may turn out to have no right to u: see [Hub.Watch]. It does
// nothing if u has already joined or has ended. The error is ErrClosed if the hub is closed. join may run code of the
// program, so no lock may be held.
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

// leave removes u from its topic. If u was the last subscription, the watcher of the topic ends. leave does nothing if
// u is in no topic. The caller must have ended u or its stream before, so that u cannot join again.
func (h *Hub) leave(u *Subscription) {
	if cancel := h.remove(u); cancel != nil {
		cancel()
	}
}

// remove is leave, but does not end the watcher. It returns the function that ends the watcher; nil if none has to end.
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

// abandonLocked removes t, whose watcher cannot be opened, from the registry. The subscriptions that wait for the
// watcher stay in t. The others, such as those to a resource that did not exist, move to a new topic with the same key.
func (h *Hub) abandonLocked(t *topic) {
	h.resources.remove(t)
	for _, u := range slices.Clone(t.subscriptions()) {
		switch u.hubState {
		case isWatched:
			continue
		case isWatched | isAbsent: // its client has subscribed again, and the watcher has failed
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

// Stats are counts of a hub at one time.
type Stats struct {
	// Subscriptions is the number of subscriptions, also to lists. Resources is the number of topics with subscribers,
	// except lists.
	Subscriptions, Resources int
	// Watchers is the number of watchers that are open, are being opened, or will be opened again.
	Watchers int
	// Reopened is how often watchers had to be opened again since the hub was made.
	Reopened int64
	// RefusedSubscriptions and RefusedWatchers count the refusals because of limits since the hub was made.
	RefusedSubscriptions, RefusedWatchers int64
}

// Stats returns the counts of h. Its cost is proportional to the number of topics with subscribers.
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

// Close refuses further subscriptions, cancels all watchers, and waits until they have ended, for at most Config.Grace.
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
