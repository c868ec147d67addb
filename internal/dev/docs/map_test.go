package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mapped are the folders of which the map of CONTRIBUTING names every folder.
var mapped = []string{".", "internal", "internal/dev", "mcp", "mcp/internal", "mcp/mcphttp/internal", "bus", "tasks"}

// The map of CONTRIBUTING names every folder of packages, and no folder that is not there. A name without a slash
// stands for a folder beside or below the one that its row names first.
func TestMap(t *testing.T) {
	_, text, _ := strings.Cut(page(t, "CONTRIBUTING.md"), "\n## Map\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var named []string
	for _, row := range regexp.MustCompile(`(?m)^\|.*$`).FindAllString(text, -1) {
		first := ""
		for _, m := range regexp.MustCompile("`([a-z][a-z0-9/]*)`").FindAllStringSubmatch(row, -1) {
			name, in := m[1], ""
			if first == "" {
				first = name
			}
			for _, dir := range []string{path.Dir(first), first, "."} {
				if folder(path.Join(dir, name)) {
					in = path.Join(dir, name)
				}
			}
			if in == "" {
				t.Errorf("the map of CONTRIBUTING names %s, which is no folder", name)
			}
			for ; in != "" && in != "."; in = path.Dir(in) {
				named = append(named, in)
			}
		}
	}
	if len(named) < 50 {
		t.Fatalf("only %d folders are named: the pattern or the page is wrong", len(named))
	}
	for _, dir := range mapped {
		for _, child := range children(t, dir) {
			if !slices.Contains(named, child) {
				t.Errorf("the map of CONTRIBUTING does not name %s", child)
			}
		}
	}
}

func folder(name string) bool {
	info, err := os.Stat(filepath.Join(root, name))
	return err == nil && info.IsDir()
}

// children returns the folders in dir that have Go files, themselves or below.
func children(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		child := path.Join(dir, e.Name())
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || slices.Contains(mapped, child) {
			continue
		}
		for _, depth := range []string{"*.go", "*/*.go", "*/*/*.go"} {
			if files, _ := filepath.Glob(filepath.Join(root, child, depth)); len(files) > 0 {
				out = append(out, child)
				break
			}
		}
	}
	return out
}
