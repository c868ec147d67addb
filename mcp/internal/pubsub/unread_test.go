package pubsub

import (
	"os"
	"testing"
	"time"
)

// Of 2,000 clients every second one does not read. The others hear as soon as without those, of the first change and of
// those that follow a second apart; in the end those are gone.
func TestHalfOfTheClientsDoNotRead(t *testing.T) {
	const clients, delay = 2000, 10 * time.Millisecond
	bubble(t, func(t *testing.T, h *Hub) {
		var healthy []*peer
		for i := range clients {
			p := newPeer(t, h, nil)
			p.open(t, numberID(1), "a:///x")
			p.conn.take()
			if i%2 == 1 {
				healthy = append(healthy, p)
				continue
			}
			p.conn.fail = func() error { // until the deadline of the transport
				time.Sleep(10 * time.Second)
				return os.ErrDeadlineExceeded
			}
		}
		for n := range 5 {
			start := time.Now()
			h.Publish("a:///x")
			time.Sleep(time.Second)
			for _, p := range healthy {
				frames := p.conn.take()
				if len(frames) != 1 || frames[0].At.Sub(start) != delay {
					t.Fatalf("change %d at %v: a client got %v", n, start, frames)
				}
			}
		}
		time.Sleep(10 * time.Second)
		if h.subs() != len(healthy) {
			t.Errorf("%d subscriptions after the deadline", h.subs())
		}
	})
}
