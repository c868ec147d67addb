package golden_test

import (
	"os/exec"
	"strings"
	"testing"
)

// What serves apps that are directories, and skills, is in programs that have them, and in no others.
func TestLinkedWithExtensions(t *testing.T) {
	const module = "github.com/mcpgen/mcpgen/"
	for program, has := range map[string]map[string]bool{
		"golden/notes":     {"mcp/mcpevent": false, "mcp/internal/events": false},
		"golden/incidents": {"mcp/mcpevent": true, "mcp/mcpskill": false, "mcp/webhook": false},
		"golden/plain": {"mcp/mcpapp": false, "internal/apppage": false, "mcp/mcpskill": false,
			"internal/skilldir": false},
		"golden/board": {"mcp/mcpapp": true, "internal/apppage": true, "mcp/mcpskill": false,
			"internal/frontmatter": false},
		"golden/guides": {"mcp/mcpapp": false, "mcp/mcpskill": true},
		"golden/everything": {"mcp/mcpapp": false, "internal/apppage": false, "mcp/mcpskill": true,
			"internal/frontmatter": true},
	} {
		deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		for pkg, want := range has {
			if got := strings.Contains("\n"+string(deps), "\n"+module+pkg+"\n"); got != want {
				t.Errorf("%s is linked with %s: %v", program, pkg, got)
			}
		}
	}
}
