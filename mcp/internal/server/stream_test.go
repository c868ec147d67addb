package server

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// bubble runs a test with its own clock. Goroutines that it leaves behind fail it.
func bubble(t *testing.T, f func(t *testing.T, h *hub)) {
	synctest.Test(t, func(t *testing.T) { f(t, newTestHub(t)) })
}

// settleDown lets everything happen that is under way or due within a second.
func settleDown() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// Changes of one resource within the delay are told once, one delay after the first.
func TestUpdatesWaitForMore(t *testing.T) {
	for _, tc := range []struct{ option, delay time.Duration }{
		{0, 10 * time.Millisecond}, {-1, 0}, {time.Second / 4, time.Second / 4},
	} {
		t.Run(fmt.Sprint(tc.option), func(t *testing.T) {
			bubble(t, func(t *testing.T, h *hub) {
				p := newPeer(t, h, &Options{UpdateDelay: tc.option})
				p.open(t, wire.NumberID(1), "a:///x", "a:///y")
				wantText(t, "opening", p.conn.lines(), "ack 1")

				first := time.Now()
				h.publish("a:///x")
				h.publish("a:///x")
				time.Sleep(tc.delay / 2)
				h.publish("a:///x")
				h.publish("a:///y")
				h.publish("a:///unknown")
				settleDown()
				got := p.conn.take()
				if len(got) != 2 || got[0].String() != "resources/updated 1 a:///x" || got[1].String() != "resources/updated 1 a:///y" {
					t.Fatalf("got %v", got)
				}
				if d := got[0].At.Sub(first); d != tc.delay {
					t.Errorf("told after %v, want %v", d, tc.delay)
				}
				if d := got[1].At.Sub(first); d != tc.delay+tc.delay/2 {
					t.Errorf("second resource told after %v", d)
				}
				h.publish("a:///x")
				settleDown()
				wantText(t, "a change after the frame", p.conn.lines(), "resources/updated 1 a:///x")
			})
		})
	}
}

// A change that comes while its notification is being written is told again.
func TestChangeDuringWriteIsToldAgain(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		again := true
		p.conn.during = func(f frame) {
			if f.Params.URI != "" && again {
				again = false
				h.publish(f.Params.URI)
			}
		}
		p.open(t, wire.NumberID(1), "a:///x")
		h.publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///x; resources/updated 1 a:///x")
	})
}

// A list that changes all the time is told of at most every 100 ms, and of its last change.
func TestListChangesAreSpaced(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil, listOfResources)
		start := time.Now()
		for range 350 {
			h.listChanged(listOfResources)
			time.Sleep(time.Millisecond)
		}
		settleDown()
		var at []time.Duration
		for _, f := range p.conn.take() {
			wantText(t, "frame", f.String(), "resources/list_changed")
			at = append(at, f.At.Sub(start)/time.Millisecond)
		}
		if got := fmt.Sprint(at); got != "[10ns 110ns 210ns 310ns 410ns]" {
			t.Errorf("told at (ms) %v", at)
		}
	})
}

// A list change that waits for its gap does not hold up an update, nor the reverse.
func TestAgendasDoNotHoldEachOtherUp(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil, listOfTools)
		p.subscribeNow(t, 1, "a:///x")
		h.listChanged(listOfTools)
		time.Sleep(20 * time.Millisecond)
		h.listChanged(listOfTools) // due in 90 ms
		h.publish("a:///x")        // due in 10 ms
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
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil, listOfResources)
		p.subscribeNow(t, 7, "a:///x")
		p.open(t, wire.NumberID(1), "a:///x", "a:///y", listOfResources)
		p.open(t, wire.StringID("1"), "a:///x", listOfTools)
		p.open(t, wire.StringID("two"), "a:///y")
		wantText(t, "opening", p.conn.lines(), `result 7; ack 1; ack "1"; ack "two"`)

		h.publish("a:///x")
		settleDown()
		wantText(t, "x", p.conn.lines(), `resources/updated a:///x; resources/updated 1 a:///x; resources/updated "1" a:///x`)
		h.publish("a:///y")
		settleDown()
		wantText(t, "y", p.conn.lines(), `resources/updated 1 a:///y; resources/updated "two" a:///y`)
		h.listChanged(listOfResources)
		h.listChanged(listOfTools)
		h.listChanged(listOfPrompts)
		settleDown()
		wantText(t, "lists", p.conn.lines(), `resources/list_changed; resources/list_changed 1; tools/list_changed "1"`)

		if !p.cancel(wire.StringID("1")) || p.cancel(wire.StringID("1")) || p.cancel(wire.NumberID(2)) {
			t.Error("cancel does not tell whether there was a listen")
		}
		h.publish("a:///x")
		h.publish("a:///y")
		settleDown()
		wantText(t, "after cancel", p.conn.lines(),
			`resources/updated a:///x; resources/updated 1 a:///x; resources/updated 1 a:///y; resources/updated "two" a:///y`)
		p.unsubscribe("a:///x")
		p.cancel(wire.NumberID(1))
		p.cancel(wire.StringID("two"))
		if n := h.subs(); n != 1 || len(h.topics) != 0 || p.uris != 0 {
			t.Errorf("left: %d subs, %d topics, %d counted", n, len(h.topics), p.uris)
		}
	})
}

// An id that is written in another way is the same id.
func TestCancelKnowsAllSpellings(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		id, _ := wire.ParseID([]byte(`"\u0061"`))
		p.open(t, id, "a:///x")
		h.publish("a:///x")
		settleDown()
		wantText(t, "the client's spelling", p.conn.lines(), `ack "\u0061"; resources/updated "\u0061" a:///x`)
		if !p.cancel(wire.StringID("a")) {
			t.Error("not found")
		}
	})
}

// Before initialized nothing is told; what changed meanwhile is told then, unless the client has
// not been told yet that it is subscribed.
func TestLegacySessionWaitsForInitialized(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newFreshPeer(t, h, nil)
		u, _ := p.subscribe("a:///x", nil, nil)
		pending, _ := p.subscribe("a:///y", nil, nil)
		h.publish("a:///x")
		h.publish("a:///y")
		p.accept(u, answerTo(1), always)
		p.open(t, wire.NumberID(2), "a:///x")
		h.publish("a:///x")
		h.listChanged(listOfTools)
		settleDown()
		wantText(t, "before", p.conn.lines(), "result 1; ack 2; resources/updated 2 a:///x")
		p.initialized(protocol.Revision20251125, []signalKind{listOfTools})
		p.initialized(protocol.Revision20251125, []signalKind{listOfTools})
		settleDown()
		wantText(t, "at initialized", p.conn.lines(), "resources/updated a:///x")
		p.accept(pending, answerTo(3), always)
		settleDown()
		wantText(t, "answered", p.conn.lines(), "result 3; resources/updated a:///y")
		h.listChanged(listOfTools)
		h.listChanged(listOfResources)
		h.publish("a:///x")
		settleDown()
		wantText(t, "after", p.conn.lines(), "resources/updated a:///x; resources/updated 2 a:///x; tools/list_changed")
	})
}
