package golden

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What serves apps that are directories, and skills, is in programs that have them, and in no others.
func TestLinkedWithExtensions(t *testing.T) {
	const module = "github.com/mcpgen/mcpgen/"
	deps := depsOf(t, "./...")
	for program, has := range map[string]map[string]bool{
		"golden/notes":     {"mcp/mcpevent": false, "mcp/internal/events": false},
		"golden/incidents": {"mcp/mcpevent": true, "mcp/mcpskill": false, "mcp/webhook": false},
		"golden/plain": {"mcp/mcpapp": false, "internal/apppage": false, "mcp/mcpskill": false,
			"internal/skilldir": false},
		"golden/board": {"mcp/mcpapp": true, "internal/apppage": true, "mcp/mcpskill": false,
			"internal/frontmatter": false},
		"golden/guides": {"mcp/mcpapp": false, "mcp/mcpskill": true, "internal/skilldir": true,
			"internal/frontmatter": false},
		"golden/everything": {"mcp/mcpapp": false, "internal/apppage": false, "mcp/mcpskill": true,
			"internal/frontmatter": false},
	} {
		linked, ok := deps[module+program]
		if !ok {
			t.Errorf("there is no program %s", program)
		}
		for pkg, want := range has {
			if got := slices.Contains(linked, module+pkg); got != want {
				t.Errorf("%s is linked with %s: %v", program, pkg, got)
			}
		}
	}
}

// depsOf lists what packages import, themselves or through others, by package.
func depsOf(t *testing.T, patterns ...string) map[string][]string {
	t.Helper()
	args := append([]string{"list", "-f", `{{.ImportPath}} {{join .Deps " "}}`}, patterns...)
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		deps[words[0]] = words[1:]
	}
	return deps
}
