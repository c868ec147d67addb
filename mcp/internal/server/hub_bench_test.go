package server

import (
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// crowd returns a hub with n conns that listen to one URI each has in common and to some others.
func crowd(t testing.TB, n int) (*hub, []*peer) {
	h := newTestHub(t)
	peers := make([]*peer, n)
	for i := range peers {
		peers[i] = newPeer(t, h, &Options{UpdateDelay: 1 << 40})
		peers[i].open(t, wire.NumberID(1), "a:///all", modelURI(i))
	}
	return h, peers
}

// Publishing allocates nothing, neither for subs that are dirty already nor for others.
func TestPublishDoesNotAllocate(t *testing.T) {
	h, peers := crowd(t, 50)
	h.publish("a:///all")
	if n := testing.AllocsPerRun(100, func() { h.publish("a:///all") }); n != 0 {
		t.Errorf("%v allocations with all subs dirty", n)
	}
	n := testing.AllocsPerRun(100, func() {
		clean(peers)
		h.publish("a:///all")
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
			p.out.takeLocked(u, p.out.clock())
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
				h.publish("a:///all")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sub")
		})
		b.Run(fmt.Sprintf("clean/subscribers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				clean(peers)
				b.StartTimer()
				h.publish("a:///all")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sub")
		})
		b.Run(fmt.Sprintf("other/subscribers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.publish("a:///nobody")
			}
		})
	}
}

// Told is the whole way of an update from the signal to the written frame.
func BenchmarkTold(b *testing.B) {
	h := newTestHub(b)
	p := newFreshPeer(b, h, &Options{UpdateDelay: -1})
	p.out.conn = discard{p.conn}
	p.open(b, wire.NumberID(1), "a:///x")
	b.ReportAllocs()
	for b.Loop() {
		h.publish("a:///x")
		p.out.pump()
	}
}

// discard is a conn that throws away what is written.
type discard struct{ *memo }

func (discard) WriteMessage([]byte) error { return nil }
