package pubsub

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A resync tells each connection everything at one time, once; a change that is known meanwhile does not wait for it.
func TestResync(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		const n = 100
		var uris []any
		for i := range n {
			uris = append(uris, fmt.Sprintf("a:///%d", i))
		}
		p := newPeer(t, h, &options{delay: 10 * time.Millisecond})
		p.open(t, "1", uris...)
		settleDown()
		p.conn.take()

		h.Resync(1000 * time.Hour)
		h.Resync(1000 * time.Hour) // finds nothing to do
		h.Publish("a:///7")
		settleDown()
		if got := p.conn.take(); len(got) != 1 || got[0].URI != "a:///7" {
			t.Fatalf("a change during a resync: %v", got)
		}
		time.Sleep(1000 * time.Hour)
		settleDown()
		got := p.conn.take()
		if len(got) != n-1 || !got[0].At.Equal(got[len(got)-1].At) {
			t.Errorf("a resync wrote %d updates: want the %d others, at one time", len(got), n-1)
		}
		time.Sleep(1000 * time.Hour)
		settleDown()
		if got := p.conn.take(); len(got) != 0 {
			t.Errorf("after the resync: %v", got)
		}
	})
}

// Changes that are due and a resync take turns.
func TestResyncTakesTurns(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		const n = 50
		var uris []any
		for i := range n {
			uris = append(uris, fmt.Sprintf("a:///%d", i))
		}
		p := newPeer(t, h, &options{delay: time.Millisecond})
		p.open(t, "1", uris...)
		settleDown()
		p.conn.take()
		changed := map[string]bool{}
		p.out.Pause() // what is due at once is written beside the test
		h.Resync(0)
		for i := range 5 {
			uri := fmt.Sprintf("a:///%d", 10*i)
			h.Publish(uri)
			changed[uri] = true
		}
		time.Sleep(time.Second) // both are due
		p.out.Resume()
		settleDown()
		got := p.conn.take()
		if len(got) != n {
			t.Fatalf("%d updates: want %d", len(got), n)
		}
		last := 0
		for i, f := range got {
			if changed[f.URI] {
				last = i
			}
		}
		if last > 10 {
			t.Errorf("the last of 5 changes is message %d", last)
		}
	})
}

// EndListens ends listens in view of their clients, one that is not acknowledged yet right after that.
func TestEndListens(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, &options{delay: time.Millisecond})
		p.open(t, "1", "a:///1")
		held, err := p.begin("2", requests("a:///1"), always)
		if err != nil {
			t.Fatal(err)
		}
		h.EndListens()
		p.Acknowledge(held, ackOf("2"))
		settleDown()
		var got []string
		for _, f := range p.conn.take() {
			got = append(got, f.Text)
		}
		want := []string{"ack 1", "result 1", "cancelled 1", "ack 2", "result 2", "cancelled 2"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if s := h.Stats(); s.Subscriptions != 0 {
			t.Errorf("%d subscriptions are left", s.Subscriptions)
		}
	})
}

// A resync marks lists, and what is not confirmed yet.
func TestResyncMarksEverything(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil, ResourceList)
		p.open(t, "1", ResourceList)
		held, err := p.begin("2", requests("a:///1", ResourceList), always)
		if err != nil {
			t.Fatal(err)
		}
		u, err := p.subscribe("a:///1", nil)
		if err != nil {
			t.Fatal(err)
		}
		settleDown()
		p.conn.take()
		h.Resync(0)
		settleDown()
		if got := p.conn.lines(); strings.Count(got, "list") != 2 {
			t.Errorf("of the lists of a session and of a listen: %q", got)
		}
		p.conn.take()
		p.Acknowledge(held, ackOf("2"))
		p.Accept(u, answerTo(3), always)
		settleDown()
		got := p.conn.lines()
		if strings.Count(got, "a:///1") != 2 || strings.Count(got, "list") != 1 {
			t.Errorf("what was held during the resync: %q", got)
		}
	})
}
