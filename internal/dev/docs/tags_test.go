package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/serverir/resource/structs"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

const tagsPage = "docs/tags.md"

// The tables of tags are those that the generator reads tags by, and explain every word.
func TestTagsPage(t *testing.T) {
	text := page(t, tagsPage)
	for _, table := range []string{structs.Markdown(), tagrule.Markdown()} {
		if strings.Contains(table, "|  |") {
			t.Errorf("a tag has no meaning:\n%s", table)
		}
		head := table[:strings.Index(table, "\n| `")+1]
		before, rest, ok := strings.Cut(text, head)
		if !ok {
			t.Fatalf("%s has no table %s", tagsPage, head)
		}
		_, after, _ := strings.Cut(rest, "\n\n")
		text = before + table + "\n" + after
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, tagsPage), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text != page(t, tagsPage) {
		t.Errorf("%s is not what the tables say; go test ./internal/dev/docs -update writes it", tagsPage)
	}
}
