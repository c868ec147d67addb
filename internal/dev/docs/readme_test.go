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
	known := map[string]map[string]bool{} // by page, because many links lead to the same
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
				continue
			}
			if anchor != "" && known[target] == nil {
				known[target] = anchors(page(t, target))
			}
			if anchor != "" && !known[target][anchor] {
				t.Errorf("%s links to %s, which has no such heading", name, link[1])
			}
		}
	}
}

var (
	heading    = regexp.MustCompile(`^#+ (.*)$`)
	noWord     = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	htmlAnchor = regexp.MustCompile(`<a id="([^"]*)"`)
)

// anchors are what links may lead to in a page: its headings, and anchors in HTML.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		if m := heading.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			out[strings.ReplaceAll(noWord.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
		}
		for _, m := range htmlAnchor.FindAllStringSubmatch(line, -1) {
			out[m[1]] = true
		}
	}
	return out
}
