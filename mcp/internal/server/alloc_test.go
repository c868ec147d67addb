//go:build !race

package server

import (
	"math"
	"testing"
)

func TestAllocations(t *testing.T) {
	c := inMemory(t, newTestServer(t, nil))
	for _, r := range benchmarks {
		text, buf := []byte(r.text), []byte(nil)
		ask := func() { buf = exchange(t, c, text, buf) }
		got, _ := perRun(200, ask, func(allocs, _ float64) bool { return math.Floor(allocs) <= r.allocs })
		if got = math.Floor(got); got > r.allocs { // as testing.AllocsPerRun does
			t.Errorf("%s: %v allocations, want %v at most", r.name, got, r.allocs)
		}
	}
}
