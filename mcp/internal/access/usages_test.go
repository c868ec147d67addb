package access

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

type counted = map[*Guard]*ratelimit.Limiter

// Only what has a rate or a concurrency is counted.
func TestNewUsage(t *testing.T) {
	for _, c := range []struct {
		g    *Guard
		want bool
	}{
		{nil, false}, {&Guard{}, false}, {&Guard{Limit: Limit{Timeout: time.Second, Bytes: 1}}, false},
		{&Guard{Limit: Limit{Rate: 1}}, true}, {&Guard{Limit: Limit{Concurrency: 1}}, true},
	} {
		if got := c.g.NewUsage() != nil; got != c.want {
			t.Errorf("%+v is counted: %v", c.g, got)
		}
	}
}

// take calls the feature of g, and returns what ends the call.
func take(t *testing.T, u *Usages, g *Guard) (leave func()) {
	t.Helper()
	used, err := u.Take(g, new(call.Call))
	if err != nil {
		t.Fatal(err)
	}
	if used == nil {
		return func() {}
	}
	return used.Leave
}

// refused fails the test unless a call of the feature of g is refused with an error that has a text.
func refused(t *testing.T, u *Usages, g *Guard, text string) {
	t.Helper()
	if _, err := u.Take(g, new(call.Call)); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want %s", err, text)
	}
}

// Calls at the same time and calls in a period are limited, and what is refused is counted.
func TestTake(t *testing.T) {
	one := &Guard{Limit: Limit{Concurrency: 1}}
	hourly := &Guard{Limit: Limit{Rate: 2, Per: time.Hour, By: Global}}
	var counts [labels.NumRefusals]atomic.Int64
	u := &Usages{Refused: &counts}
	u.Declare(counted{one: one.NewUsage(), hourly: hourly.NewUsage()})
	take(t, u, nil)
	take(t, u, &Guard{Limit: Limit{Rate: 1}}) // of a tool that was removed
	leave := take(t, u, one)
	refused(t, u, one, "at most 1")
	leave()
	take(t, u, one)
	take(t, u, hourly)
	u.Share = func(r ratelimit.Rate) ratelimit.Rate { return ratelimit.Rate{Calls: r.Calls / 2, Per: r.Per} }
	take(t, u, hourly)
	refused(t, u, hourly, "too often")
	if n, r := counts[labels.RefusedConcurrency].Load(), counts[labels.RefusedRate].Load(); n != 1 || r != 1 {
		t.Errorf("%d and %d are counted", n, r)
	}
}

// The guards of added tools are counted until others take their place, and a joined server shares the counters of its
// members, whatever is added to it.
func TestSharedUsages(t *testing.T) {
	var counts [labels.NumRefusals]atomic.Int64
	guards := make([]*Guard, 3)
	for i := range guards {
		guards[i] = &Guard{Limit: Limit{Concurrency: 1}}
	}
	member, joined := &Usages{Refused: &counts}, &Usages{Refused: &counts}
	member.Declare(counted{guards[0]: guards[0].NewUsage()})
	member.SetAdded(counted{guards[1]: guards[1].NewUsage()})
	joined.Declare(counted{})
	joined.SetAdded(counted{guards[2]: guards[2].NewUsage()})
	joined.CountWith(member)
	for _, g := range guards[:2] {
		take(t, joined, g)
		refused(t, member, g, "at most 1")
	}
	take(t, joined, guards[2])
	refused(t, joined, guards[2], "at most 1")
	joined.SetAdded(nil)
	take(t, joined, guards[2])
	refused(t, joined, guards[0], "at most 1")
	member.SetAdded(nil)
	take(t, member, guards[1])
}
