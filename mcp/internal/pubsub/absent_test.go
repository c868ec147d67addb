package pubsub

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// openNever is an opener of a watcher that reports nothing.
func openNever(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
	return never(ctx), nil
}

// openBoom is an opener that fails.
func openBoom(context.Context, string) (iter.Seq2[time.Time, error], error) { return nil, errBoom }

// subscribeAbsent subscribes to what is not there until exists says so.
func (p *peer) subscribeAbsent(t *testing.T, uri string, exists func(string) bool) *Subscription {
	t.Helper()
	u, err := p.Subscribe(Request{Topic: Topic{URI: uri}, Source: &Source{Open: openNever, Exists: exists}})
	if err != nil {
		t.Fatal(err)
	}
	p.hub.WatchLater(u, false)
	p.Accept(u, answerTo(1), always)
	return u
}

// What has appeared while its client has its share of watchers is not asked about again and again, although its update
// waits for a client that cannot receive any.
func TestAbsentWithoutWatchersLeft(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		h.shares.bound(0, 4)
		p := clientOf(t, h, "ada")
		if err := p.watchNow(t.Context(), "a:///0", openNever); err != nil {
			t.Fatal(err)
		}
		p.out.Pause()
		there, asked := false, 0
		p.subscribeAbsent(t, "a:///1", func(string) bool {
			asked++
			return there && asked < 100
		})
		there = true
		h.Publish("a:///1")
		synctest.Wait()
		if asked != 1 {
			t.Errorf("asked %d times, want once", asked)
		}
		p.Unsubscribe("a:///0")
		time.Sleep(checkEvery)
		synctest.Wait()
		if got := h.Stats().Watchers; got != 1 || asked != 2 {
			t.Errorf("%d watchers and asked %d times once there is room, want 1 and 2", got, asked)
		}
	})
}

// A watcher that cannot be opened for one client takes no updates from those who do not wait for it.
func TestAbsentWhileWatchFails(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		var there atomic.Bool
		u := q.subscribeAbsent(t, "a:///1", func(string) bool { return there.Load() })
		if err := p.watchNow(t.Context(), "a:///1", openBoom); err == nil {
			t.Fatal("the watcher was opened")
		}
		h.Publish("a:///1")
		settleDown()
		wantText(t, "frames", q.conn.lines(), "result 1; resources/updated a:///1")
		there.Store(true)
		time.Sleep(checkEvery)
		settleDown()
		if got := h.Stats().Watchers; got != 1 {
			t.Errorf("%d watchers of what has appeared, want 1", got)
		}
		q.Unsubscribe("a:///1")
		synctest.Wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.watching) != 0 || !h.resources.empty() || !u.is(isEnded) || len(h.absences.clients) != 0 {
			t.Errorf("left: %d watchers, %d clients with absences", len(h.watching), len(h.absences.clients))
		}
	})
}

// A client that subscribes once more to what was absent, and whose watcher cannot be opened, keeps what it had.
func TestAbsentSubscribedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := clientOf(t, h, "ada")
		q := Request{Topic: Topic{URI: "a:///1"}, Source: &Source{Open: openBoom, Exists: func(string) bool { return false }}}
		u, err := p.Subscribe(q)
		if err != nil {
			t.Fatal(err)
		}
		h.WatchLater(u, false)
		p.Accept(u, answerTo(1), always)
		if err := p.watchNow(t.Context(), "a:///1", openBoom); err == nil {
			t.Fatal("the watcher was opened")
		}
		h.Publish("a:///1")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "result 1; resources/updated a:///1")
		p.Unsubscribe("a:///1")
		synctest.Wait()
		h.shares.mu.Lock()
		defer h.shares.mu.Unlock()
		if len(h.shares.clients) != 0 || h.shares.total != [countKinds]int{} {
			t.Errorf("left: %v of %d clients", h.shares.total, len(h.shares.clients))
		}
	})
}

// A client that subscribes and unsubscribes again and again has one goroutine that asks, however long that takes, and
// nothing of it stays.
func TestAbsentIsAskedOneByOne(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := clientOf(t, h, "ada")
		var now, most atomic.Int64
		exists := func(string) bool {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(5 * time.Second)
			return false
		}
		for range 50 {
			p.subscribeAbsent(t, "a:///1", exists)
			h.Publish("a:///1")
			synctest.Wait()
			p.Unsubscribe("a:///1")
		}
		if most.Load() != 1 {
			t.Errorf("%d at once, want 1", most.Load())
		}
		time.Sleep(time.Hour)
		h.absences.mu.Lock()
		left := len(h.absences.clients)
		h.absences.mu.Unlock()
		if left != 0 {
			t.Errorf("%d clients are left", left)
		}
		p.subscribeAbsent(t, "a:///2", func(string) bool { return true })
		time.Sleep(checkEvery)
		synctest.Wait()
		if got := h.Stats().Watchers; got != 1 {
			t.Errorf("%d watchers after a minute, want 1", got)
		}
	})
}

// A topic that had many subscriptions gives their room back.
func TestTopicGivesRoomBack(t *testing.T) {
	h := newTestHub(t)
	p := newPeer(t, h, &options{limits: Limits{URIs: 10_000, Listens: 2000}})
	for i := range 1000 {
		p.open(t, fmt.Sprint(i), "a:///1")
	}
	for i := range 999 {
		p.Cancel(fmt.Sprint(i))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for topic := range h.resources.all() {
		if len(topic.subscriptions()) != 1 || cap(topic.subscriptions()) > 4*minMany {
			t.Errorf("room for %d", cap(topic.subscriptions()))
		}
	}
}
