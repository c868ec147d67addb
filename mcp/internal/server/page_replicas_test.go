package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Pages of tools that were added in another order on each replica, or not on all of them, have each tool that all
// replicas have once, whichever replica serves which page.
func TestPagesOfAddedToolsOnReplicas(t *testing.T) {
	t.Attr("requirements", "tool-order")
	var both []string
	for i := range 9 {
		both = append(both, fmt.Sprintf("tool-%d", i))
	}
	backwards := slices.Clone(both)
	slices.Reverse(backwards)
	for _, tools := range [][2][]string{
		{both, backwards},
		{append([]string{"only-a", "z-only-a"}, both...), append(backwards, "tool-35", "a-only-b")},
	} {
		var replicas []*harness
		for _, names := range tools {
			s := newToolServer(t, &Options{DynamicTools: true, PageSize: 2, Keys: busKey})
			for _, name := range names {
				if err := s.AddTool(echoTool(name)); err != nil {
					t.Fatal(err)
				}
			}
			replicas = append(replicas, newSession(t, s, protocol.Revision20251125))
		}
		for first := range replicas {
			seen := map[string]int{}
			for cursor, k := "", first; ; k++ {
				p := askPage(t, replicas[k%len(replicas)], "tools/list", cursor)
				if p.Error != nil {
					t.Fatalf("%v", p.Error)
				}
				for name := range strings.FieldsSeq(p.names()) {
					seen[name]++
				}
				if cursor = p.Result.NextCursor; cursor == "" {
					break
				}
			}
			for _, name := range append(both, "search") {
				if seen[name] != 1 {
					t.Errorf("%s is listed %d times: %v", name, seen[name], seen)
				}
			}
		}
	}
}

// The page behind a tool that has gone from the replica begins with the next one.
func TestPageBehindToolThatIsGone(t *testing.T) {
	s := newToolServer(t, &Options{DynamicTools: true, PageSize: 3, Keys: busKey})
	for _, name := range []string{"d", "b", "a", "c", "e"} {
		if err := s.AddTool(echoTool(name)); err != nil {
			t.Fatal(err)
		}
	}
	c := newSession(t, s, protocol.Revision20251125)
	p := askPage(t, c, "tools/list", "")
	wantText(t, "first page", p.names(), "search a b")
	for _, name := range []string{"a", "b", "c"} {
		if _, err := s.RemoveTool(name); err != nil {
			t.Fatal(err)
		}
	}
	p = askPage(t, c, "tools/list", p.Result.NextCursor)
	wantText(t, "second page", p.names(), "d e")
}
