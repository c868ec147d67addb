package pubsub

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test with its own clock. Goroutines that it leaves behind fail it.
func bubble(t *testing.T, f func(t *testing.T, h *Hub)) {
	synctest.Test(t, func(t *testing.T) { f(t, newTestHub(t)) })
}

// settleDown lets everything happen that is under way or due within a second.
func settleDown() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// Changes of one resource within the delay are told once, one delay after the first.
func TestUpdatesWaitForMore(t *testing.T) {
	for _, delay := range []time.Duration{10 * time.Millisecond, 0, time.Second / 4} {
		t.Run(fmt.Sprint(delay), func(t *testing.T) {
			bubble(t, func(t *testing.T, h *Hub) {
				p := newPeer(t, h, &options{delay: delay})
				p.open(t, numberID(1), "a:///x", "a:///y")
				wantText(t, "opening", p.conn.lines(), "ack 1")

				first := time.Now()
				if delay == 0 {
					p.out.Pause() // what is due at once is written beside the test
				}
				h.Publish("a:///x")
				h.Publish("a:///x")
				time.Sleep(delay / 2)
				h.Publish("a:///x")
				h.Publish("a:///y")
				h.Publish("a:///unknown")
				p.out.Resume()
				settleDown()
				got := p.conn.take()
				if len(got) != 2 || got[0].Text != "resources/updated 1 a:///x" || got[1].Text != "resources/updated 1 a:///y" {
					t.Fatalf("got %v", got)
				}
				if d := got[0].At.Sub(first); d != delay {
					t.Errorf("told after %v, want %v", d, delay)
				}
				if d := got[1].At.Sub(first); d != delay+delay/2 {
					t.Errorf("second resource told after %v", d)
				}
				h.Publish("a:///x")
				settleDown()
				wantText(t, "a change after the frame", p.conn.lines(), "resources/updated 1 a:///x")
			})
		})
	}
}

// A change that comes while its notification is being written is told again.
func TestChangeDuringWriteIsNotifiedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		again := true
		p.conn.during = func(f frame) {
			if f.URI != "" && again {
				again = false
				h.Publish(f.URI)
			}
		}
		p.open(t, numberID(1), "a:///x")
		h.Publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///x; resources/updated 1 a:///x")
	})
}

// A list that changes all the time is told of at most every 100 ms, and of its last change.
func TestListChangesAreSpaced(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil, ResourceList)
		start := time.Now()
		for range 350 {
			h.PublishList(ResourceList)
			time.Sleep(time.Millisecond)
		}
		settleDown()
		var at []time.Duration
		for _, f := range p.conn.take() {
			wantText(t, "frame", f.Text, "resources/list_changed")
			at = append(at, f.At.Sub(start)/time.Millisecond)
		}
		if got := fmt.Sprint(at); got != "[10ns 110ns 210ns 310ns 410ns]" {
			t.Errorf("told at (ms) %v", at)
		}
	})
}

// A list change that waits for its gap does not hold up an update, nor the reverse.
func TestDueQueuesDoNotHoldEachOtherUp(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil, toolList)
		p.subscribeNow(t, 1, "a:///x")
		h.PublishList(toolList)
		time.Sleep(20 * time.Millisecond)
		h.PublishList(toolList) // due in 90 ms
		h.Publish("a:///x")     // due in 10 ms
		synctest.Wait()
		p.conn.take()
		start := time.Now()
		settleDown()
		got := p.conn.take()
		if len(got) != 2 || got[0].At.Sub(start) != 10*time.Millisecond || got[1].At.Sub(start) != 90*time.Millisecond {
			t.Errorf("got %v", got)
		}
	})
}

// Every listen hears for itself, under its own id with its own JSON type; the legacy session
// hears without an id.
func TestManyStreamsOnOneConn(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil, ResourceList)
		p.subscribeNow(t, 7, "a:///x")
		p.open(t, numberID(1), "a:///x", "a:///y", ResourceList)
		p.open(t, stringID("1"), "a:///x", toolList)
		p.open(t, stringID("two"), "a:///y")
		wantText(t, "opening", p.conn.lines(), `result 7; ack 1; ack "1"; ack "two"`)

		h.Publish("a:///x")
		settleDown()
		wantText(t, "x", p.conn.lines(), `resources/updated a:///x; resources/updated 1 a:///x; resources/updated "1" a:///x`)
		h.Publish("a:///y")
		settleDown()
		wantText(t, "y", p.conn.lines(), `resources/updated 1 a:///y; resources/updated "two" a:///y`)
		h.PublishList(ResourceList)
		h.PublishList(toolList)
		h.PublishList(promptList)
		settleDown()
		wantText(t, "lists", p.conn.lines(), `resources/list_changed; resources/list_changed 1; tools/list_changed "1"`)

		if !p.Cancel(stringID("1")) || p.Cancel(stringID("1")) || p.Cancel(numberID(2)) {
			t.Error("cancel does not tell whether there was a listen")
		}
		h.Publish("a:///x")
		h.Publish("a:///y")
		settleDown()
		wantText(t, "after cancel", p.conn.lines(),
			`resources/updated a:///x; resources/updated 1 a:///x; resources/updated 1 a:///y; resources/updated "two" a:///y`)
		p.Unsubscribe("a:///x")
		p.Cancel(numberID(1))
		p.Cancel(stringID("two"))
		if n := h.subs(); n != 1 || h.resources.count.Load() != 0 || p.uris != 0 {
			t.Errorf("left: %d subs, %d topics, %d counted", n, h.resources.count.Load(), p.uris)
		}
	})
}

// Before initialized nothing is told; what changed meanwhile is told then, unless the client has
// not been told yet that it is subscribed.
func TestLegacySessionWaitsForInitialized(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newFreshPeer(t, h, nil)
		u, _ := p.subscribe("a:///x", nil)
		pending, _ := p.subscribe("a:///y", nil)
		h.Publish("a:///x")
		h.Publish("a:///y")
		p.Accept(u, answerTo(1), always)
		p.open(t, numberID(2), "a:///x")
		h.Publish("a:///x")
		h.PublishList(toolList)
		settleDown()
		wantText(t, "before", p.conn.lines(), "result 1; ack 2; resources/updated 2 a:///x")
		p.OpenSession(fakeEncoder{}, []Kind{toolList}, p.hub.ListChanges())
		p.OpenSession(fakeEncoder{}, []Kind{toolList}, p.hub.ListChanges())
		settleDown()
		wantText(t, "at initialized", p.conn.lines(), "resources/updated a:///x")
		p.Accept(pending, answerTo(3), always)
		settleDown()
		wantText(t, "answered", p.conn.lines(), "result 3; resources/updated a:///y")
		h.PublishList(toolList)
		h.PublishList(ResourceList)
		h.Publish("a:///x")
		settleDown()
		wantText(t, "after", p.conn.lines(), "resources/updated a:///x; resources/updated 2 a:///x; tools/list_changed")
	})
}
