package docs

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive/reference"
)

var update = flag.Bool("update", false, "write the generated pages again")

// The reference pages say what the tables of the generator say.
func TestReferencePages(t *testing.T) {
	for name, want := range map[string]string{"directives.md": reference.Markdown(), "diagnostics.md": diag.Markdown()} {
		path := filepath.Join(root, "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("docs/%s is not what the tables say (%v); go test ./internal/dev/docs -update writes it", name, err)
		}
	}
}
