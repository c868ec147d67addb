package pubsub

import (
	"fmt"
	"testing"
)

// crowd returns a hub with n conns that listen to one URI each has in common and to some others.
func crowd(t testing.TB, n int) (*Hub, []*peer) {
	h := newTestHub(t)
	peers := make([]*peer, n)
	for i := range peers {
		peers[i] = newPeer(t, h, &options{delay: 1 << 40})
		peers[i].open(t, numberID(1), "a:///all", modelURI(i))
	}
	return h, peers
}

// Publishing allocates nothing, neither for subs that are dirty already nor for others.
func TestPublishDoesNotAllocate(t *testing.T) {
	h, peers := crowd(t, 50)
	h.Publish("a:///all")
	if n := testing.AllocsPerRun(100, func() { h.Publish("a:///all") }); n != 0 {
		t.Errorf("%v allocations with all subs dirty", n)
	}
	n := testing.AllocsPerRun(100, func() {
		clean(peers)
		h.Publish("a:///all")
	})
	if n != 0 {
		t.Errorf("%v allocations with all subs clean", n)
	}
}

// clean makes all subs clean, as if they had been told.
func clean(peers []*peer) {
	for _, p := range peers {
		p.out.mu.Lock()
		for u := p.out.firstLocked(); u != nil; u = p.out.firstLocked() {
			p.out.takeLocked(u, p.out.now())
		}
		p.out.mu.Unlock()
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1, 100, 5000} {
		h, peers := crowd(b, n)
		b.Run(fmt.Sprintf("dirty/subscribers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.Publish("a:///all")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sub")
		})
		b.Run(fmt.Sprintf("clean/subscribers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				clean(peers)
				b.StartTimer()
				h.Publish("a:///all")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sub")
		})
		b.Run(fmt.Sprintf("other/subscribers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.Publish("a:///nobody")
			}
		})
	}
}

// Told is the whole way of an update from the signal to the written frame.
func BenchmarkNotified(b *testing.B) {
	h := newTestHub(b)
	p := newFreshPeer(b, h, &options{})
	p.out.writer = discard{}
	p.open(b, numberID(1), "a:///x")
	b.ReportAllocs()
	for b.Loop() {
		h.Publish("a:///x")
		p.out.pump()
	}
}

// discard is a Writer that throws away what is written.
type discard struct{}

func (discard) WriteMessage([]byte) error { return nil }
