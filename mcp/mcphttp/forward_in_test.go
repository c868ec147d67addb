package mcphttp

import (
	"net/netip"
	"testing"
)

// A client whose responses go to replicas that do not acknowledge them leaves room for those of others.
func TestForwardsOfOneClient(t *testing.T) {
	var f forwarding
	greedy := &usage{key: clientKey{subject: "a"}}
	var numbers []uint64
	for range maxForwards {
		if n, _, ok := f.await(greedy); ok {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) != maxClientForwards {
		t.Errorf("one client has %d", len(numbers))
	}
	n, received, ok := f.await(&usage{key: clientKey{addr: netip.MustParseAddr("192.0.2.1")}})
	if !ok {
		t.Fatal("no room for another client")
	}
	f.arrived(n)
	f.arrived(n)
	<-received
	for _, n := range numbers {
		f.done(greedy, n)
	}
	if _, _, ok := f.await(greedy); !ok {
		t.Error("no room afterwards")
	}
	if len(f.of) != 2 || len(f.waiting) != 1 {
		t.Errorf("left: %v %v", f.of, f.waiting)
	}
}
