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
		got, _ := perRun(200, func() { buf = exchange(t, c, text, buf) })
		got = math.Floor(got) // as testing.AllocsPerRun does
		if got > r.allocs {
			t.Errorf("%s: %v allocations, want %v at most", r.name, got, r.allocs)
		}
	}
}
