package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
	"go.uber.org/goleak"
)

// respond writes only what is still wanted, and nothing after close.
func TestRespond(t *testing.T) {
	m := new(memo)
	o := newOutbox(m, noLog)
	for _, live := range []func() bool{nil, always, func() bool { return false }} {
		if err := o.respond(answerTo(1), live); err != nil {
			t.Error(err)
		}
	}
	o.close()
	if err := o.respond(answerTo(2), nil); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	wantText(t, "frames", m.lines(), "result 1; result 1")
}

// The server's end of a listen is its result and then a cancellation; nothing follows.
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
		if _, err := p.subscribe("a:///x", nil); !errors.Is(err, errClosed) {
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

// Without grace nothing is said.
func TestSilentEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		p.open(t, wire.NumberID(1), "a:///x")
		held, _ := p.listen(wire.NumberID(2), protocol.Revision20260728, requests("a:///x"), always)
		h.publish("a:///x")
		p.close(false)
		p.acknowledge(held, ackOf(held.id))
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1")
		if _, err := p.listen(wire.NumberID(4), protocol.Revision20260728, nil, always); !errors.Is(err, errClosed) {
			t.Errorf("listen after the end: %v", err)
		}
	})
}

// What ends an old listen for the second time leaves alone a new one with the same id.
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

// A sub that has ended is told nothing, even if the hub does not know yet, and leaving twice
// takes nobody else along.
func TestEndedSubIsSilent(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		p.subscribeNow(t, 1, "a:///x")
		q.subscribeNow(t, 1, "a:///x")
		p.open(t, wire.NumberID(2), "a:///x")
		p.out.mu.Lock()
		u := p.legacy.uris["a:///x"]
		p.endURILocked(&p.legacy, u, "a:///x")
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

// Who flushes an acknowledgement does not stay to write the updates of others.
func TestFlushWritesNoUpdates(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, &Options{UpdateDelay: -1})
		p.subscribeNow(t, 1, "a:///x")
		p.out.mu.Lock()
		p.out.state = pumpRunning // about to take the lock
		p.out.mu.Unlock()
		h.publish("a:///x")
		p.open(t, wire.NumberID(2))
		wantText(t, "flushed", p.conn.lines(), "result 1; ack 2")
		p.out.mu.Lock()
		p.out.state = pumpIdle
		p.out.armLocked()
		p.out.mu.Unlock()
		settleDown()
		wantText(t, "pumped", p.conn.lines(), "resources/updated a:///x")
	})
}

// An acknowledgement that was not written when the client cancels is never written.
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
		if _, err := p.subscribe("a:///3", nil); err == nil || !strings.Contains(err.Error(), "at most 3 resources") {
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
		if _, err := p.subscribe("a:///3", nil); err == nil {
			t.Error("limit forgotten")
		}
		wantText(t, "frames", p.conn.lines(), "result 1; result 1; ack 1; ack 2; ack 3; result 1")
	})
}

// A subscribe whose request was cancelled leaves nothing; one that another request also asks for stays.
func TestWithdrawnSubscribe(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p := newPeer(t, h, nil)
		first, _ := p.subscribe("a:///x", nil)
		second, _ := p.subscribe("a:///x", nil)
		p.accept(first, "a:///x", answerTo(1), func() bool { return false })
		if h.subs() != 1 {
			t.Error("the other request's claim is lost")
		}
		p.accept(second, "a:///x", answerTo(2), func() bool { return false })
		if h.subs() != 0 || p.uris != 0 {
			t.Errorf("left: %d subs, %d counted", h.subs(), p.uris)
		}
		p.subscribeNow(t, 3, "a:///x")
		again, _ := p.subscribe("a:///x", nil)
		p.accept(again, "a:///x", answerTo(4), func() bool { return false })
		h.publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "result 3; resources/updated a:///x")

		pending, _ := p.subscribe("a:///y", nil)
		h.publish("a:///y")
		p.unsubscribe("a:///y")
		p.accept(pending, "a:///y", answerTo(5), always)
		h.publish("a:///y")
		settleDown()
		wantText(t, "unsubscribed while pending", p.conn.lines(), "result 5")
	})
}

// A conn whose write fails loses its subscriptions, once and for all; others notice nothing.
func TestDeadConnIsRemoved(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		p, q := newPeer(t, h, nil, listOfTools), newPeer(t, h, nil, listOfTools)
		deaths := 0
		drop := p.out.died
		p.out.died = func(err error) {
			deaths++
			if !errors.Is(err, errBoom) {
				t.Errorf("died of %v", err)
			}
			drop(err)
		}
		for _, x := range []*peer{p, q} {
			x.subscribeNow(t, 1, "a:///x")
			x.open(t, wire.NumberID(2), "a:///x", "a:///y", listOfTools)
			x.conn.take()
		}
		p.conn.fail = func() error { return errBoom }
		h.publish("a:///x")
		settleDown()
		if h.subs() != 5 || p.out.pending() != 0 || deaths != 1 || !p.conn.closed {
			t.Errorf("%d subs, %d pending, %d deaths, closed %v", h.subs(), p.out.pending(), deaths, p.conn.closed)
		}
		wantText(t, "the other", q.conn.lines(), "resources/updated a:///x; resources/updated 2 a:///x")
		if err := p.out.respond(answerTo(3), nil); !errors.Is(err, errBoom) {
			t.Errorf("respond: %v", err)
		}
		p.close(true)
		p.out.close()
		if _, err := p.subscribe("a:///x", nil); err == nil {
			t.Error("a dead conn subscribes")
		}
		wantText(t, "the dead", p.conn.lines(), "")
	})
}

// A client that does not read is ended at the deadline of its transport. Meanwhile publishing
// does not wait, and other clients hear as always.
func TestStalledConnDelaysNobody(t *testing.T) {
	bubble(t, func(t *testing.T, h *hub) {
		_, server := transport.Pipe(&transport.PipeOptions{Messages: 1, WriteTimeout: 5 * time.Second})
		stalled := newTestStreams(t, h, server, nil)
		stalled.initialized(protocol.Revision20251125, nil)
		sp := &peer{stalled, nil}
		sp.open(t, wire.NumberID(1), "a:///x", "a:///y") // fills the pipe
		healthy := newPeer(t, h, nil)
		healthy.open(t, wire.NumberID(1), "a:///x", "a:///y")
		healthy.conn.take()

		start := time.Now()
		for range 150 {
			for range 1000 {
				h.publish("a:///x")
			}
			h.publish("a:///y")
			time.Sleep(20 * time.Millisecond)
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("publishing took %v of waiting", d)
		}
		if n := len(healthy.conn.take()); n != 300 {
			t.Errorf("the healthy client got %d frames", n)
		}
		if n := sp.out.pending(); n > 2 {
			t.Errorf("%d pending for the stalled client", n)
		}
		time.Sleep(3 * time.Second)
		if h.subs() != 2 {
			t.Errorf("%d subs after the deadline", h.subs())
		}
		if err := sp.out.respond(answerTo(1), nil); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("respond: %v", err)
		}
	})
}

// A conn without news has no goroutine and no timer running.
func TestIdleConnHasNoGoroutine(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h := newHub(&Server{log: noLog, grace: time.Second})
	defer h.close()
	p := newPeer(t, h, nil, listOfTools)
	p.open(t, wire.NumberID(1), "a:///x", listOfTools)
	goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h.publish("a:///x")
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
	h := newHub(&Server{log: noLog, grace: time.Second})
	defer h.close()
	client, server := transport.Pipe(nil)
	p := &peer{newTestStreams(t, h, server, &Options{UpdateDelay: -1}), nil}
	p.initialized(protocol.Revision20251125, []signalKind{listOfTools})
	var wg, reader sync.WaitGroup
	reader.Go(func() {
		var buf []byte
		for err := error(nil); err == nil; {
			if buf, err = client.ReadMessage(buf); err != nil && !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		}
	})
	for g := range int64(4) {
		wg.Go(func() {
			for i := range int64(300) {
				id := wire.NumberID(g*1000 + i)
				p.open(t, id, "a:///x", "a:///y", listOfTools)
				h.publish("a:///x")
				h.listChanged(listOfTools)
				_ = p.out.respond(answerTo(1), nil)
				p.subscribeNow(t, i, "a:///y")
				h.publish("a:///y")
				p.cancel(id)
				p.unsubscribe("a:///y")
			}
		})
	}
	wg.Wait()
	p.close(true)
	p.out.close()
	_ = server.Close()
	reader.Wait()
	if h.subs() != 0 || p.uris != 0 {
		t.Errorf("%d subs, %d counted", h.subs(), p.uris)
	}
}
