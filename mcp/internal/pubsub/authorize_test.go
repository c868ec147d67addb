package pubsub

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// ruling is an Authorizer that answers what a test says.
type ruling struct {
	decision atomic.Uint32
	asked    atomic.Int32
	exits    atomic.Bool // it ends the goroutine instead
}

func (r *ruling) Authorize(string) Decision {
	r.asked.Add(1)
	if r.exits.Load() {
		runtime.Goexit()
	}
	return Decision(r.decision.Load())
}

func (r *ruling) set(d Decision) { r.decision.Store(uint32(d)) }

// authorized are requests for a:///x, which r decides about, a:///y and the list of resources.
func authorized(r *ruling) []Request {
	topics := requests("a:///x", "a:///y", ResourceList)
	topics[0].Source = &Source{Authorizer: r}
	return topics
}

// The authorizer is asked before each update of its subscription, and of no other.
func TestAuthorizerIsAskedBeforeEachUpdate(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		r, p := new(ruling), newPeer(t, h, nil)
		s, err := p.begin("1", authorized(r), always)
		if err != nil {
			t.Fatal(err)
		}
		p.Acknowledge(s, ackOf("1"))
		for range 2 {
			h.Publish("a:///x")
			h.Publish("a:///y")
			settleDown()
		}
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///x; resources/updated 1 a:///y; "+
			"resources/updated 1 a:///x; resources/updated 1 a:///y")
		if n := r.asked.Load(); n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

// Who is revoked gets no update, and hears that the list of resources has changed; the subscription has ended.
func TestRevokedSubscriptionEnds(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		r, p := new(ruling), newPeer(t, h, nil)
		s, _ := p.begin("1", authorized(r), always)
		p.Acknowledge(s, ackOf("1"))
		r.set(Revoke)
		h.Publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/list_changed 1")
		r.set(Deliver)
		h.Publish("a:///x")
		settleDown()
		wantText(t, "afterwards", p.conn.lines(), "")
		if got := h.Stats(); got.Subscriptions != 2 || p.uris != 1 {
			t.Errorf("left: %+v, %d counted", got, p.uris)
		}
	})
}

// What is refused before the acknowledgement ends without a change of the list: the client has not seen it yet.
func TestRefusedBeforeAcknowledgement(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		s, _ := p.begin("1", authorized(new(ruling)), always)
		p.Refuse(s, Topic{URI: "a:///x"})
		p.Refuse(s, Topic{URI: "a:///x"})
		p.Acknowledge(s, ackOf("1"))
		h.Publish("a:///x")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1")
	})
}

// A postponed update is left out until its subscription is marked again.
func TestPostponedUpdate(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		r, p := new(ruling), newPeer(t, h, nil)
		r.set(Postpone)
		u, err := p.Subscribe(Request{Topic: Topic{URI: "a:///x"}, Source: &Source{Authorizer: r}})
		if err != nil {
			t.Fatal(err)
		}
		p.Accept(u, nil, always)
		p.subscribeNow(t, 2, "a:///y")
		h.Publish("a:///x")
		settleDown()
		wantText(t, "postponed", p.conn.lines(), "result 2")
		r.set(Deliver)
		settleDown()
		wantText(t, "nobody has marked it", p.conn.lines(), "")
		p.ResyncAuthorized()
		settleDown()
		wantText(t, "resync of those with an authorizer", p.conn.lines(), "resources/updated a:///x")
		p.Resync()
		settleDown()
		if got := p.conn.take(); len(got) != 2 {
			t.Errorf("resync of all: %v", got)
		}
	})
}

// An authorizer that ends its goroutine costs the other subscriptions nothing.
func TestAuthorizerThatExits(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		r, p := new(ruling), newPeer(t, h, nil)
		s, _ := p.begin("1", authorized(r), always)
		p.Acknowledge(s, ackOf("1"))
		r.exits.Store(true)
		h.Publish("a:///x")
		h.Publish("a:///y")
		settleDown()
		wantText(t, "frames", p.conn.lines(), "ack 1; resources/updated 1 a:///y")
	})
}

// While an outbox is paused, changes come together, and go at once when it is resumed; other messages are written.
func TestPause(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil, ResourceList)
		p.out.Pause()
		p.subscribeNow(t, 1, "a:///x")
		for range 3 {
			h.Publish("a:///x")
			h.PublishList(ResourceList)
			settleDown()
		}
		_ = p.out.Write(answerTo(2), nil)
		wantText(t, "paused", p.conn.lines(), "result 1; result 2")
		start := time.Now()
		p.out.Resume()
		settleDown()
		got := p.conn.take()
		if len(got) != 2 || !got[0].At.Equal(start) || !got[1].At.Equal(start) {
			t.Errorf("got %v", got)
		}
	})
}
