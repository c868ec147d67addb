package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests that pages name as proof exist.
func TestPagesNameTests(t *testing.T) {
	have := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docs/reliability.md", "docs/auth.md"} {
		names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(page(t, name), -1)
		if len(names) < 20 {
			t.Fatalf("%s names %d tests", name, len(names))
		}
		for _, m := range names {
			if !have[m[1]] {
				t.Errorf("%s: there is no test %s", name, m[1])
			}
		}
	}
}
