package docs

import (
	"strings"
	"testing"
)

// The Go of docs/tasks.md is that of the example.
func TestTasksPage(t *testing.T) {
	for _, b := range blocks(t, "docs/tasks.md", "go") {
		if !strings.Contains(page(t, b.arg), b.text) {
			t.Errorf("docs/tasks.md: %s does not have\n%s", b.arg, b.text)
		}
	}
}
