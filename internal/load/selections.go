package load

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load/source"
)

// selections are the names that code has behind a dot.
type selections struct {
	names         map[string]bool // nil before it is asked
	importersRead bool            // names has those of the packages that import this one, too
}

func (s *selections) hasAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.names[name] })
}

var selector = regexp.MustCompile(`\.([\pL_][\pL\p{Nd}_]*)`)

func (s *selections) add(text []byte) {
	for _, m := range selector.FindAllSubmatch(text, -1) {
		s.names[string(m[1])] = true
	}
}

// addImporters adds the names in the files below dir that import a package.
func (s *selections) addImporters(importPath, dir string) {
	quoted, tree := []byte(`"`+importPath+`"`), os.DirFS(dir)
	_ = fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if e.IsDir() {
			if name != "." && outside(tree, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if text, err := fs.ReadFile(tree, name); err == nil && bytes.Contains(text, quoted) &&
			!source.IsOutput(path.Base(name), text) {
			s.add(text)
		}
		return nil
	})
}

// outside reports whether a folder does not belong to the module around it.
func outside(tree fs.FS, name string) bool {
	base := path.Base(name)
	if base == "vendor" || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") ||
		strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(tree, path.Join(name, "go.mod"))
	return err == nil
}
