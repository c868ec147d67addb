package mcprt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

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
	var b mcprt.Branches
	for i := range 1000 {
		name := strings.Repeat("x", i)
		b = append(b, mcprt.Branch{First: name, Route: func(v *mcprt.Vars) int { return v.N }})
	}
	v, name := new(mcprt.Vars), strings.Repeat("x", 700)
	if got := testing.AllocsPerRun(100, func() { _ = b.Of(name, v) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
