package docs

import (
	"go/build"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CONTRIBUTING names each file of this repository that is built on Windows or macOS and not on Linux, where tests run,
// and no file that is not there. A name without a folder stands beside the one that its row names first.
func TestWhatHasOnlyBeenCompiled(t *testing.T) {
	_, text, _ := strings.Cut(page(t, "CONTRIBUTING.md"), "\n## What has only been compiled\n")
	text, _, _ = strings.Cut(text, "\n## ")
	named := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\|.*$`).FindAllString(text, -1) {
		dir := ""
		for _, m := range regexp.MustCompile("`([a-z][a-z0-9/_]*[.]go)`").FindAllStringSubmatch(row, -1) {
			name := m[1]
			if dir == "" {
				dir = path.Dir(name)
			}
			if !strings.Contains(name, "/") {
				name = path.Join(dir, name)
			}
			named[name] = true
		}
	}
	if len(named) < 10 {
		t.Fatalf("only %d files are named: the pattern or the page is wrong", len(named))
	}
	elsewhere := builtElsewhere(t)
	tool := regexp.MustCompile(`^(bench|fleet|internal/dev)/.*_other[.]go$`) // one row has all of these
	for _, name := range elsewhere {
		if !named[name] && !tool.MatchString(name) {
			t.Errorf("CONTRIBUTING does not say that %s has run nowhere", name)
		}
	}
	for name := range named {
		if !slices.Contains(elsewhere, name) {
			t.Errorf("CONTRIBUTING names %s, which is built on Linux, or is not there", name)
		}
	}
}

// builtElsewhere returns the files that are built on Windows or macOS and not on Linux.
func builtElsewhere(t *testing.T) (out []string) {
	t.Helper()
	on := func(system, dir, name string) bool {
		c := build.Default
		c.GOOS = system
		ok, err := c.MatchFile(dir, name)
		if err != nil {
			t.Error(err)
		}
		return ok
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		dir, name := filepath.Split(file)
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || on("linux", dir, name):
		case on("windows", dir, name), on("darwin", dir, name):
			rel, err := filepath.Rel(root, file)
			out = append(out, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
