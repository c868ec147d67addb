package pubsub

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestGracefulEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil, toolList)
		p.subscribeNow(t, 5, "a:///x")
		p.open(t, numberID(1), "a:///x", toolList)
		late, err := p.begin(stringID("late"), requests("a:///x"), always)
		if err != nil {
			t.Fatal(err)
		}
		settled, _ := p.begin(numberID(3), nil, func() bool { return false })
		p.Acknowledge(settled, ackOf(settled.id))
		h.Publish("a:///x") // has not been told when the end comes
		p.Close(true)
		got := p.conn.lines()
		wantText(t, "end", got, "result 5; ack 1; ack 3; result 1; cancelled 1")

		h.Publish("a:///x")
		h.PublishList(toolList)
		settleDown()
		wantText(t, "after the end", p.conn.lines(), "")
		p.Acknowledge(late, ackOf(late.id))
		settleDown()
		wantText(t, "late ack", p.conn.lines(), `ack "late"; result "late"; cancelled "late"`)
		if _, err := p.subscribe("a:///x", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("subscribe after the end: %v", err)
		}
		if h.subs() != 0 || p.uris != 0 || len(p.listens) != 0 {
			t.Errorf("left: %d subs, %d counted, %d listens", h.subs(), p.uris, len(p.listens))
		}
		p.Close(true)
		p.Close(false)
		wantText(t, "second close", p.conn.lines(), "")
	})
}

func TestSilentEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		settled := ""
		settle := func(name string) func() bool {
			return func() bool { settled += name; return true }
		}
		s, _ := p.begin(numberID(1), requests("a:///x"), settle("open"))
		p.Acknowledge(s, ackOf(s.id))
		held, _ := p.begin(numberID(2), requests("a:///x"), settle("held"))
		h.Publish("a:///x")
		p.Close(false)
		p.Acknowledge(held, ackOf(held.id))
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1")
		wantText(t, "settled", settled, "open")
		if _, err := p.begin(numberID(4), nil, always); !errors.Is(err, ErrClosed) {
			t.Errorf("listen after the end: %v", err)
		}
	})
}

func TestIDOfCancelledListenIsFree(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		old, _ := p.begin(numberID(1), requests("a:///x"), always)
		p.Cancel(numberID(1))
		p.open(t, numberID(1), "a:///y")
		p.Drop(old)
		p.Acknowledge(old, ackOf(old.id))
		h.Publish("a:///x")
		h.Publish("a:///y")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///y")
		if h.subs() != 1 || p.uris != 1 {
			t.Errorf("%d subs, %d counted", h.subs(), p.uris)
		}
	})
}

func TestEndedSubIsSilent(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		p.subscribeNow(t, 1, "a:///x")
		q.subscribeNow(t, 1, "a:///x")
		p.open(t, numberID(2), "a:///x")
		p.out.mu.Lock()
		u := p.session.findLocked(Topic{URI: "a:///x"})
		p.endURILocked(&p.session, u)
		s := p.listens[numberID(2)]
		left := p.removeLocked(s)
		p.out.mu.Unlock()
		h.Publish("a:///x")
		if n := p.out.scheduled(); n != 0 {
			t.Errorf("%d pending", n)
		}
		for range 2 {
			h.leave(u)
			p.leave(left)
		}
		if h.subs() != 1 {
			t.Errorf("%d subs, want that of the other conn", h.subs())
		}
		h.Publish("a:///x")
		settleDown()
		wantText(t, "other", q.conn.lines(), "result 1; resources/updated a:///x")
		q.Unsubscribe("a:///x")
		h.leave(u)
	})
}

func TestCancelTakesAckBack(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		s, err := p.begin(numberID(1), requests("a:///x"), always)
		if err != nil {
			t.Fatal(err)
		}
		p.out.write.Lock() // another frame is under way
		done := make(chan struct{})
		go func() {
			p.Acknowledge(s, ackOf(s.id))
			close(done)
		}()
		for range 100 {
			runtime.Gosched() // it waits for that frame
		}
		p.Cancel(numberID(1))
		p.out.write.Unlock()
		<-done
		wantText(t, "frames", p.conn.lines(), "")
	})
}

func TestLimits(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, &options{delay: 10 * time.Millisecond, limits: Limits{URIs: 3, Listens: 2}})
		p.subscribeNow(t, 1, "a:///1")
		p.subscribeNow(t, 1, "a:///1")
		p.open(t, numberID(1), "a:///1", "a:///2", toolList)
		if _, err := p.subscribe("a:///3", nil); err == nil || !strings.Contains(err.Error(), "at most 3 resources") {
			t.Errorf("fourth resource: %v", err)
		}
		listen := func(id int64, what ...any) error {
			s, err := p.begin(numberID(id), requests(what...), always)
			if err == nil {
				p.Acknowledge(s, ackOf(s.id))
			}
			return err
		}
		if err := listen(2, "a:///3"); err == nil || !strings.Contains(err.Error(), "at most 3 resources") {
			t.Errorf("fourth resource in a listen: %v", err)
		}
		if err := listen(1, toolList); !errors.Is(err, ErrDuplicate) {
			t.Errorf("same id: %v", err)
		}
		if err := listen(2, toolList); err != nil {
			t.Error(err)
		}
		if err := listen(3); err == nil || !strings.Contains(err.Error(), "at most 2") {
			t.Errorf("third listen: %v", err)
		}
		p.Cancel(numberID(1))
		if err := listen(3, "a:///1", "a:///2"); err != nil {
			t.Errorf("after one has gone: %v", err)
		}
		p.subscribeNow(t, 1, "a:///1") // again: not counted twice
		if _, err := p.subscribe("a:///3", nil); err == nil {
			t.Error("limit forgotten")
		}
		wantText(t, "frames", p.conn.lines(), "result 1; result 1; ack 1; ack 2; ack 3; result 1")
	})
}

func TestWithdrawnSubscribe(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		first, _ := p.subscribe("a:///x", nil)
		second, _ := p.subscribe("a:///x", nil)
		p.Accept(first, answerTo(1), func() bool { return false })
		if h.subs() != 1 {
			t.Error("the other request's claim is lost")
		}
		p.Accept(second, answerTo(2), func() bool { return false })
		if h.subs() != 0 || p.uris != 0 {
			t.Errorf("left: %d subs, %d counted", h.subs(), p.uris)
		}
		p.subscribeNow(t, 3, "a:///x")
		again, _ := p.subscribe("a:///x", nil)
		p.Accept(again, answerTo(4), func() bool { return false })
		h.Publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "result 3; resources/updated a:///x")

		pending, _ := p.subscribe("a:///y", nil)
		h.Publish("a:///y")
		p.Unsubscribe("a:///y")
		p.Accept(pending, answerTo(5), always)
		h.Publish("a:///y")
		settleDown()
		wantText(t, "unsubscribed while pending", p.conn.lines(), "result 5")
	})
}

// A session that comes back may be reminded of everything at any time, also while it is being initialized or the
// server closes.
func TestResyncOfWhatWasNotJoined(t *testing.T) {
	h := newTestHub(t)
	h.Close()
	p := newPeer(t, h, nil, toolList)
	p.Resync()
	if n := p.out.scheduled(); n != 0 {
		t.Errorf("%d to be told", n)
	}
	q := newTestHub(t)
	p = newPeer(t, q, nil, toolList)
	p.OpenSession(fakeEncoder{}, []Kind{toolList}, p.hub.ListChanges())
	if q.subs() != 1 {
		t.Errorf("%d subs after two times initialized", q.subs())
	}
}
