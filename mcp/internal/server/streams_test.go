package server

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func TestGracefulEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil, listOfTools)
		p.subscribeNow(t, 5, "a:///x")
		p.open(t, wire.NumberID(1), "a:///x", listOfTools)
		late, err := p.listen(wire.StringID("late"), protocol.Revision20260728, requests("a:///x"), always)
		if err != nil {
			t.Fatal(err)
		}
		settled, _ := p.listen(wire.NumberID(3), protocol.Revision20260728, nil, func() bool { return false })
		p.acknowledge(settled, ackOf(settled.id))
		h.publish("a:///x") // has not been told when the end comes
		p.close(true)
		got := p.conn.lines()
		wantText(t, "end", got, "result 5; ack 1; ack 3; result 1; cancelled 1")

		h.publish("a:///x")
		h.listChanged(listOfTools)
		settleDown()
		wantText(t, "after the end", p.conn.lines(), "")
		p.acknowledge(late, ackOf(late.id))
		settleDown()
		wantText(t, "late ack", p.conn.lines(), `ack "late"; result "late"; cancelled "late"`)
		if _, err := p.subscribe("a:///x", nil, nil); !errors.Is(err, errClosed) {
			t.Errorf("subscribe after the end: %v", err)
		}
		if h.subs() != 0 || p.uris != 0 || len(p.listens) != 0 {
			t.Errorf("left: %d subs, %d counted, %d listens", h.subs(), p.uris, len(p.listens))
		}
		p.close(true)
		p.close(false)
		wantText(t, "second close", p.conn.lines(), "")
	})
}

func TestSilentEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		settled := ""
		settle := func(name string) func() bool {
			return func() bool { settled += name; return true }
		}
		s, _ := p.listen(wire.NumberID(1), protocol.Revision20260728, requests("a:///x"), settle("open"))
		p.acknowledge(s, ackOf(s.id))
		held, _ := p.listen(wire.NumberID(2), protocol.Revision20260728, requests("a:///x"), settle("held"))
		h.publish("a:///x")
		p.close(false)
		p.acknowledge(held, ackOf(held.id))
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1")
		wantText(t, "settled", settled, "open")
		if _, err := p.listen(wire.NumberID(4), protocol.Revision20260728, nil, always); !errors.Is(err, errClosed) {
			t.Errorf("listen after the end: %v", err)
		}
	})
}

func TestIDOfCancelledListenIsFree(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		old, _ := p.listen(wire.NumberID(1), protocol.Revision20260728, requests("a:///x"), always)
		p.cancel(wire.NumberID(1))
		p.open(t, wire.NumberID(1), "a:///y")
		p.drop(old)
		p.acknowledge(old, ackOf(old.id))
		h.publish("a:///x")
		h.publish("a:///y")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///y")
		if h.subs() != 1 || p.uris != 1 {
			t.Errorf("%d subs, %d counted", h.subs(), p.uris)
		}
	})
}

func TestEndedSubIsSilent(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		p.subscribeNow(t, 1, "a:///x")
		q.subscribeNow(t, 1, "a:///x")
		p.open(t, wire.NumberID(2), "a:///x")
		p.out.mu.Lock()
		u := p.legacy.uris["a:///x"]
		p.endURILocked(&p.legacy, u)
		s := p.listens[wire.NumberID(2)]
		left := p.removeLocked(s)
		p.out.mu.Unlock()
		h.publish("a:///x")
		if n := p.out.pending(); n != 0 {
			t.Errorf("%d pending", n)
		}
		for range 2 {
			h.leave(u)
			p.leave(left)
		}
		if h.subs() != 1 {
			t.Errorf("%d subs, want that of the other conn", h.subs())
		}
		h.publish("a:///x")
		settleDown()
		wantText(t, "other", q.conn.lines(), "result 1; resources/updated a:///x")
		q.unsubscribe("a:///x")
		h.leave(u)
	})
}

func TestCancelTakesAckBack(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		s, err := p.listen(wire.NumberID(1), protocol.Revision20260728, requests("a:///x"), always)
		if err != nil {
			t.Fatal(err)
		}
		p.out.write.Lock() // another frame is under way
		done := make(chan struct{})
		go func() {
			p.acknowledge(s, ackOf(s.id))
			close(done)
		}()
		for acked := false; !acked; time.Sleep(0) {
			p.out.mu.Lock()
			acked = len(p.out.control) == 1
			p.out.mu.Unlock()
		}
		p.cancel(wire.NumberID(1))
		p.out.write.Unlock()
		<-done
		wantText(t, "frames", p.conn.lines(), "")
	})
}

func TestLimits(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, &Options{MaxSubscriptions: 3, MaxListens: 2})
		p.subscribeNow(t, 1, "a:///1")
		p.subscribeNow(t, 1, "a:///1")
		p.open(t, wire.NumberID(1), "a:///1", "a:///2", listOfTools)
		if _, err := p.subscribe("a:///3", nil, nil); err == nil || !strings.Contains(err.Error(), "at most 3 resources") {
			t.Errorf("fourth resource: %v", err)
		}
		listen := func(id int64, what ...any) error {
			s, err := p.listen(wire.NumberID(id), protocol.Revision20260728, requests(what...), always)
			if err == nil {
				p.acknowledge(s, ackOf(s.id))
			}
			return err
		}
		if err := listen(2, "a:///3"); err == nil || !strings.Contains(err.Error(), "at most 3 resources") {
			t.Errorf("fourth resource in a listen: %v", err)
		}
		if err := listen(1, listOfTools); err == nil || !strings.Contains(err.Error(), "id 1 belongs to an open listen") {
			t.Errorf("same id: %v", err)
		}
		if err := listen(2, listOfTools); err != nil {
			t.Error(err)
		}
		if err := listen(3); err == nil || !strings.Contains(err.Error(), "at most 2") {
			t.Errorf("third listen: %v", err)
		}
		p.cancel(wire.NumberID(1))
		if err := listen(3, "a:///1", "a:///2"); err != nil {
			t.Errorf("after one has gone: %v", err)
		}
		p.subscribeNow(t, 1, "a:///1") // again: not counted twice
		if _, err := p.subscribe("a:///3", nil, nil); err == nil {
			t.Error("limit forgotten")
		}
		wantText(t, "frames", p.conn.lines(), "result 1; result 1; ack 1; ack 2; ack 3; result 1")
	})
}

func TestWithdrawnSubscribe(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		first, _ := p.subscribe("a:///x", nil, nil)
		second, _ := p.subscribe("a:///x", nil, nil)
		p.accept(first, answerTo(1), func() bool { return false })
		if h.subs() != 1 {
			t.Error("the other request's claim is lost")
		}
		p.accept(second, answerTo(2), func() bool { return false })
		if h.subs() != 0 || p.uris != 0 {
			t.Errorf("left: %d subs, %d counted", h.subs(), p.uris)
		}
		p.subscribeNow(t, 3, "a:///x")
		again, _ := p.subscribe("a:///x", nil, nil)
		p.accept(again, answerTo(4), func() bool { return false })
		h.publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "result 3; resources/updated a:///x")

		pending, _ := p.subscribe("a:///y", nil, nil)
		h.publish("a:///y")
		p.unsubscribe("a:///y")
		p.accept(pending, answerTo(5), always)
		h.publish("a:///y")
		settleDown()
		wantText(t, "unsubscribed while pending", p.conn.lines(), "result 5")
	})
}

// A session that comes back may be reminded of everything at any time, also while it is being initialized or the
// server closes.
func TestRemindOfWhatWasNotJoined(t *testing.T) {
	h := newTestHub(t)
	h.close()
	p := newPeer(t, h, nil, listOfTools)
	p.remind()
	if n := p.out.pending(); n != 0 {
		t.Errorf("%d to be told", n)
	}
	q := newTestHub(t)
	p = newPeer(t, q, nil, listOfTools)
	p.initialized(protocol.Revision20251125, []signalKind{listOfTools})
	if q.subs() != 1 {
		t.Errorf("%d subs after two times initialized", q.subs())
	}
}
