package golden

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A skill of as many files and bytes as every client accepts is fine, and one more is a warning.
func TestLargeSkills(t *testing.T) {
	t.Attr("requirements", "skill-size")
	const most = 16 << 20
	for _, x := range []struct {
		name  string
		files int // beside SKILL.md
		bytes int // of one of them
		warns bool
	}{
		{"files", 511, 1, false}, {"too many files", 512, 1, true},
		{"bytes", 1, most - 1<<10, false}, {"too many bytes", 1, most, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			dir := tempModule(t, "", "example.com/m")
			write(t, filepath.Join(dir, "a.go"), "//mcp:server name=m\npackage m\n\nimport \"embed\"\n\n"+
				"//go:embed large\n//mcp:skill\nvar Large embed.FS\n")
			write(t, filepath.Join(dir, "large", "SKILL.md"), "---\nname: large\ndescription: A large skill.\n---\n")
			for i := range x.files {
				write(t, filepath.Join(dir, "large", fmt.Sprint(i, ".txt")), strings.Repeat("x", x.bytes))
			}
			got := printed(t, pipeline(t, dir), dir)
			if strings.Contains(got, "MCP414") != x.warns {
				t.Errorf("got %q", got)
			}
		})
	}
}
