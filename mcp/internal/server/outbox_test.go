package server

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
// Without grace nothing is said.
// What ends an old listen for the second time leaves alone a new one with the same id.
// A sub that has ended is told nothing, even if the hub does not know yet, and leaving twice
// takes nobody else along.
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
// A subscribe whose request was cancelled leaves nothing; one that another request also asks for stays.
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
		if _, err := p.subscribe("a:///x", nil, nil); err == nil {
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
