package docs

import (
	"regexp"
	"strings"
	"testing"
)

// Every decision has a date, alternatives, and what would change it.
func TestDecisions(t *testing.T) {
	entries := strings.Split(page(t, "docs/decisions.md"), "\n### ")[1:]
	if n := len(entries); n < 30 || n > 50 {
		t.Fatalf("docs/decisions.md has %d entries: want what a maintainer must know, 30 to 50", n)
	}
	for _, entry := range entries {
		entry, _, _ = strings.Cut(entry, "\n## ")
		title, _, _ := strings.Cut(entry, "\n")
		for _, part := range []string{`(?m)^20\d\d-\d\d-\d\d[.,] `, `(?m)^- Alternatives: `, `(?m)^- Would change it: `} {
			if n := len(regexp.MustCompile(part).FindAllString(entry, -1)); n != 1 {
				t.Errorf("%q has %d parts that match %s, want 1", title, n, part)
			}
		}
	}
}

// The first page is short, and leads to what a newcomer looks for.
func TestReadme(t *testing.T) {
	text := page(t, "README.md")
	if n := len(strings.Fields(text)); n > 900 {
		t.Errorf("README.md has %d words; move what is more than 900 to docs", n)
	}
	for _, want := range []string{"go install ./cmd/mcpgen", "make demo", "make test", "(mcp/mcptest)", "(docs/deploy.md)",
		"(docs/directives.md)"} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md does not mention %s", want)
		}
	}
}
