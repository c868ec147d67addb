package mcprt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

func TestPlaces(t *testing.T) {
	for n := range 12 {
		var p mcprt.Places
		for i := range n {
			p = append(p, mcprt.Place{Name: fmt.Sprintf("%02d", i), At: 100 + i})
		}
		for i := range n {
			if got := p.Of(fmt.Sprintf("%02d", i)); got != 100+i {
				t.Errorf("place %d of %d is %d", i, n, got)
			}
		}
		for _, other := range []string{"", "00a", "05 ", "11", "99"} {
			if got := p.Of(other); got != -1 && (other != "11" || n <= 11) {
				t.Errorf("%q is at %d of %d", other, got, n)
			}
		}
	}
}

func TestBranches(t *testing.T) {
	for n := 1; n < 12; n++ {
		var b mcprt.Branches
		for i := range n {
			b = append(b, mcprt.Branch{First: fmt.Sprintf("%02d", i), Route: func(*mcprt.Vars) int { return i }})
		}
		for text, want := range map[string]int{"": 0, "00": 0, "00x": 0, "05": 5, "05x": 5, "99": 99} {
			if got := b.Of(text, nil); got != min(want, n-1) {
				t.Errorf("%q goes to %d of %d", text, got, n)
			}
		}
	}
}

// TestTablesDoNotAllocate: a large server routes without memory of its own, as a small one does.
func TestTablesDoNotAllocate(t *testing.T) {
	var p mcprt.Places
	var b mcprt.Branches
	for i := range 1000 {
		name := strings.Repeat("x", i)
		p = append(p, mcprt.Place{Name: name, At: i})
		b = append(b, mcprt.Branch{First: name, Route: func(v *mcprt.Vars) int { return v.N }})
	}
	v, name := new(mcprt.Vars), strings.Repeat("x", 700)
	if got := testing.AllocsPerRun(100, func() { _, _ = p.Of(name), b.Of(name, v) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
