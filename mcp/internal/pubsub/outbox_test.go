package pubsub

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Write writes only what is still wanted, and nothing after Close.
func TestWrite(t *testing.T) {
	r := new(recorder)
	o := newTestHub(t).NewOutbox(r, 0, func(err error) { t.Error(err) })
	for _, live := range []func() bool{nil, always, func() bool { return false }} {
		if err := o.Write(answerTo(1), live); err != nil {
			t.Error(err)
		}
	}
	o.Close(errBoom)
	o.Close(io.EOF)
	if err := o.Write(answerTo(2), nil); !errors.Is(err, errBoom) {
		t.Errorf("after Close: %v", err)
	}
	if err := o.Err(); err != nil {
		t.Errorf("Err after Close: %v", err)
	}
	wantText(t, "frames", r.lines(), "result 1; result 1")
}

// Who flushes an acknowledgement does not stay to write the updates of others.
func TestFlushWritesNoUpdates(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, &options{})
		p.subscribeNow(t, 1, "a:///x")
		p.out.mu.Lock()
		p.out.state = pumpRunning // about to take the lock
		p.out.mu.Unlock()
		h.Publish("a:///x")
		p.open(t, numberID(2))
		wantText(t, "flushed", p.conn.lines(), "result 1; ack 2")
		p.out.mu.Lock()
		p.out.state = pumpIdle
		p.out.armLocked()
		p.out.mu.Unlock()
		settleDown()
		wantText(t, "pumped", p.conn.lines(), "resources/updated a:///x")
	})
}

// A conn whose write fails loses its subscriptions, once and for all; others notice nothing.
func TestDeadConnIsRemoved(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p, q := newPeer(t, h, nil, toolList), newPeer(t, h, nil, toolList)
		failures := 0
		failed := p.out.failed
		p.out.failed = func(err error) {
			failures++
			if !errors.Is(err, errBoom) {
				t.Errorf("failed with %v", err)
			}
			failed(err)
		}
		for _, x := range []*peer{p, q} {
			x.subscribeNow(t, 1, "a:///x")
			x.open(t, numberID(2), "a:///x", "a:///y", toolList)
			x.conn.take()
		}
		p.conn.fail = func() error { return errBoom }
		h.Publish("a:///x")
		settleDown()
		if h.subs() != 5 || p.out.scheduled() != 0 || failures != 1 {
			t.Errorf("%d subs, %d scheduled, %d failures", h.subs(), p.out.scheduled(), failures)
		}
		wantText(t, "the other", q.conn.lines(), "resources/updated a:///x; resources/updated 2 a:///x")
		if err := p.out.Write(answerTo(3), nil); !errors.Is(err, errBoom) {
			t.Errorf("respond: %v", err)
		}
		p.Close(true)
		p.out.Close(io.EOF)
		if err := p.out.Err(); !errors.Is(err, errBoom) {
			t.Errorf("Err: %v", err)
		}
		if _, err := p.subscribe("a:///x", nil); err == nil {
			t.Error("a dead conn subscribes")
		}
		wantText(t, "the dead", p.conn.lines(), "")
	})
}

// A client that does not read is ended at the deadline of its transport. Meanwhile publishing
// does not wait, and other clients hear as always.
func TestStalledConnDelaysNobody(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		sp := newPeer(t, h, nil)
		sp.open(t, numberID(1), "a:///x", "a:///y")
		sp.conn.fail = func() error { // the client does not read
			time.Sleep(5 * time.Second)
			return os.ErrDeadlineExceeded
		}
		healthy := newPeer(t, h, nil)
		healthy.open(t, numberID(1), "a:///x", "a:///y")
		healthy.conn.take()

		start := time.Now()
		for range 150 {
			for range 1000 {
				h.Publish("a:///x")
			}
			h.Publish("a:///y")
			time.Sleep(20 * time.Millisecond)
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("publishing took %v of waiting", d)
		}
		if n := len(healthy.conn.take()); n != 300 {
			t.Errorf("the healthy client got %d frames", n)
		}
		if n := sp.out.scheduled(); n > 2 {
			t.Errorf("%d pending for the stalled client", n)
		}
		time.Sleep(3 * time.Second)
		if h.subs() != 2 {
			t.Errorf("%d subs after the deadline", h.subs())
		}
		if err := sp.out.Write(answerTo(1), nil); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("respond: %v", err)
		}
	})
}

// A conn without news has no goroutine and no timer running.
func TestIdleConnHasNoGoroutine(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h := newHubWith(time.Second)
	defer h.Close()
	p := newPeer(t, h, nil, toolList)
	p.open(t, numberID(1), "a:///x", toolList)
	goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h.Publish("a:///x")
	eventually(t, func() error {
		if got := p.conn.lines(); !strings.HasSuffix(got, "updated 1 a:///x") {
			return fmt.Errorf("got %q", got)
		}
		return nil
	})
	eventually(t, func() error {
		p.out.mu.Lock()
		defer p.out.mu.Unlock()
		if p.out.state != pumpIdle {
			return errors.New("the pump does not rest")
		}
		return nil
	})
}

// Answers, acknowledgements, updates and the close of one conn, all at once.
func TestOutboxUnderConcurrentUse(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h := newHubWith(time.Second)
	defer h.Close()
	p := newPeer(t, h, &options{}, toolList)
	p.out.writer = discard{}
	var wg sync.WaitGroup
	for g := range int64(4) {
		wg.Go(func() {
			for i := range int64(300) {
				id := numberID(g*1000 + i)
				p.open(t, id, "a:///x", "a:///y", toolList)
				h.Publish("a:///x")
				h.PublishList(toolList)
				_ = p.out.Write(answerTo(1), nil)
				p.subscribeNow(t, i, "a:///y")
				h.Publish("a:///y")
				p.Cancel(id)
				p.Unsubscribe("a:///y")
			}
		})
	}
	wg.Wait()
	p.Close(true)
	p.out.Close(io.EOF)
	if h.subs() != 0 || p.uris != 0 {
		t.Errorf("%d subs, %d counted", h.subs(), p.uris)
	}
}
