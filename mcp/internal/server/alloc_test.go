//go:build !race

package server

import "testing"

func TestAllocations(t *testing.T) {
	c := inMemory(t, newTestServer(t, nil))
	for _, r := range benchmarks {
		text, buf := []byte(r.text), []byte(nil)
		got := testing.AllocsPerRun(200, func() { buf = exchange(t, c, text, buf) })
		if got > r.allocs {
			t.Errorf("%s: %v allocations, want %v at most", r.name, got, r.allocs)
		}
	}
}
