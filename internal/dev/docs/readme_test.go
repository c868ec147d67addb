// Package docs tests the documents: their links, quoted code, commands, tables and generated pages.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

// A code block of a page that names a file must stand in that file, word for word.
func TestExcerpts(t *testing.T) {
	count := map[string]int{}
	for _, name := range pages(t) {
		for _, b := range fence.FindAllStringSubmatch(page(t, name), -1) {
			if b[2] == "" || strings.HasPrefix(b[2], "+") {
				continue
			}
			count[name]++
			if source := page(t, b[2]); !strings.Contains(source, b[3]) {
				t.Errorf("%s quotes %s, but this does not stand there:\n%s", name, b[2], b[3])
			}
		}
	}
	for name, least := range map[string]int{"README.md": 4, filepath.FromSlash("docs/tour.md"): 20} {
		if count[name] < least {
			t.Errorf("%s has %d excerpts; the pattern or the page is wrong", name, count[name])
		}
	}
}

// Links of the pages to files of the repository must lead somewhere, and so must links inside a page.
func TestLinks(t *testing.T) {
	for _, name := range pages(t) {
		text := fence.ReplaceAllString(page(t, name), "")
		for _, link := range regexp.MustCompile(`\]\(([^):]*)\)`).FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(link[1], "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
			} else if anchor != "" && !hasAnchor(page(t, target), anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, link[1])
			}
		}
	}
}

// hasAnchor reports whether a page has a heading that an anchor leads to.
func hasAnchor(text, anchor string) bool {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return strings.Contains(text, `<a id="`+anchor+`"`)
}
