package shared

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// A client whose responses go to replicas that do not acknowledge them leaves room for those of others.
func TestForwardsOfOneClient(t *testing.T) {
	var f forwarding
	admit := limits.NewAdmission([limits.NumResources]limits.Share{}, nil, new(counters.Counters))
	client := func(name string) *limits.Usage {
		return admit.Client(httptest.NewRequest(http.MethodGet, "/", nil), name)
	}
	greedy := client("a")
	var numbers []uint64
	for range maxForwards {
		if n, _, ok := f.await(greedy); ok {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) != maxClientForwards {
		t.Errorf("one client has %d", len(numbers))
	}
	n, received, ok := f.await(client("b"))
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
