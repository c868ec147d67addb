// Package docs holds the tests that keep the documentation true.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// A code block of the README that names a file must stand in that file, word for word.
func TestReadmeExcerpts(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```go (\\S+)\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) < 4 {
		t.Fatalf("README.md has %d excerpts; the pattern or the page is wrong", len(blocks))
	}
	for _, b := range blocks {
		source, err := os.ReadFile(filepath.Join(root, b[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(source), b[2]) {
			t.Errorf("README.md quotes %s, but this does not stand there:\n%s", b[1], b[2])
		}
	}
}

// Links of the pages to files of the repository must lead somewhere.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	more, _ := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	for _, page := range append(pages, more...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", filepath.Base(page), link[1], err)
			}
		}
	}
}
