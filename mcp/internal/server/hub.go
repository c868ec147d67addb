package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// signalKind says what may have changed.
type signalKind uint8

const (
	oneResource signalKind = iota
	listOfResources
	listOfTools
	listOfPrompts

	numSignalKinds
)

// signalMethods are the notifications that tell clients of a signal.
var signalMethods = [numSignalKinds]string{
	oneResource:     protocol.MethodNotificationsResourcesUpdated,
	listOfResources: protocol.MethodNotificationsResourcesListChanged,
	listOfTools:     protocol.MethodNotificationsToolsListChanged,
	listOfPrompts:   protocol.MethodNotificationsPromptsListChanged,
}

// signal says that something may have changed. It carries no content: who hears of it reads again.
// Signals may be repeated and merged at will, and this is all that replicas will have to exchange.
type signal struct {
	kind signalKind
	uri  string // of a oneResource, in one of its spellings
}

// hub is the registry of all subscriptions of a server, whatever their era and conn. A topic is
// one URI or one kind of list, a sub is the interest of one stream in one topic.
//
// Publishing marks the subs of one topic and is done: it neither writes nor waits for anybody who
// does. What was marked is written by the outbox of its conn.
//
// Locks, in the order in which they nest:
//
//	hub.mu        topics, their subs and watches, closed
//	outbox.write  one frame being written; the only lock held during I/O
//	outbox.mu     the streams of the conn and what they have to tell
//
//	conn.mu       the calls of the conn; a leaf, taken to settle a listen
//
// hub.mu and outbox.write are never held together. No lock is held when user code runs.
type hub struct {
	log      *slog.Logger
	server   *Server       // whose router tells URIs apart
	patience time.Duration // with watchers that do not end
	start    time.Time     // the instants of agendas count from here

	ctx      context.Context // of all watchers
	cancel   context.CancelFunc
	watchers sync.WaitGroup // Add under mu and only if not closed
	reopened atomic.Int64   // how often a watcher had to be opened again

	mu     sync.RWMutex
	closed bool
	lists  [numSignalKinds]topic // [oneResource] stays unused
	topics map[string]*topic     // by the text of their id; none without subs
	keys   sync.Pool             // of *topicKey
}

// topic is what a sub is interested in.
type topic struct {
	signal         // with the URI as the first sub has spelled it
	topicID        // of a oneResource
	next    *topic // of another resource, with the same text; guarded by hub.mu
	subs    []*sub // guarded by hub.mu
	watch   *watch // guarded by hub.mu; nil until a sub begins to wait for it, and if nothing watches the topic
}

// errClosed is what a client is told that subscribes while the server ends.
var errClosed = Public(errors.New("server is shutting down"))

// newHub returns the hub of s. The caller closes it.
func newHub(s *Server) *hub {
	h := &hub{log: s.log, server: s, patience: s.grace, start: time.Now(), topics: make(map[string]*topic)}
	h.ctx, h.cancel = context.WithCancel(context.WithValue(context.Background(), maxFileKey{}, s.opts.MaxFileBytes))
	for k := range h.lists {
		h.lists[k].kind = signalKind(k)
	}
	return h
}

// now is the time since the hub was made.
func (h *hub) now() time.Duration { return time.Since(h.start) }

// listChanged tells all who asked that a list may have changed. It never blocks on a conn.
func (h *hub) listChanged(kind signalKind) { h.renew(&h.lists[kind]) }

// renew marks every sub of t.
func (h *hub) renew(t *topic) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	t.markLocked()
}

func (t *topic) markLocked() {
	for _, u := range t.subs {
		u.mark()
	}
}

// join puts u into the topic of sig; from now on it is marked by every signal. A URI that wants a watcher has it
// opened with open, not here but by whoever first waits for it: until then it may turn out that u has no right to it.
// Join does nothing if u is in a topic already or is gone, and fails if the hub is closed. id is that of the URI.
func (h *hub) join(u *sub, sig signal, id topicID, open opener) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errClosed
	}
	if u.topic != nil || u.isGone() {
		return nil
	}
	t := &h.lists[sig.kind]
	if sig.kind == oneResource {
		t = h.findLocked(id)
	}
	if t == nil {
		t = &topic{signal: sig, topicID: id}
		h.enterLocked(t)
	}
	u.topic, u.open, u.at = t, open, len(t.subs)
	t.subs = append(t.subs, u)
	return nil
}

// leave takes u out of its topic; the last sub of a URI ends its watcher. It does nothing if u is
// in none. The caller has made u or its stream gone, so that it cannot join afterwards.
func (h *hub) leave(u *sub) {
	if w := h.remove(u); w != nil {
		w.cancel()
	}
}

// remove is leave; it returns the watch to be cancelled if there is one.
func (h *hub) remove(u *sub) *watch {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := u.topic
	if t == nil || u.at < 0 {
		return nil
	}
	last := len(t.subs) - 1
	t.subs[u.at] = t.subs[last]
	t.subs[u.at].at = u.at
	t.subs[last] = nil
	t.subs = t.subs[:last]
	u.at = -1
	if last > 0 || t.kind != oneResource {
		return nil
	}
	h.forgetLocked(t)
	return t.watch
}

// close refuses further subscriptions, ends all watchers and waits for them as long as its patience
// lasts.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()

	ended := make(chan struct{})
	go func() {
		h.watchers.Wait()
		close(ended)
	}()
	t := time.NewTimer(h.patience)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		h.log.Warn("mcp: a watcher ignores that its context has ended")
	}
}
