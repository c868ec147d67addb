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

// Selects reports whether code of p, or of a package in its module that imports p, has one of the names behind a dot.
// Tests and our own output do not count, nor what the go command would leave out. It only serves advice:
// files need not parse, and what cannot be read is skipped. The first call that finds nothing in p itself
// reads the disk. It is not safe for concurrent use.
func (p *Package) Selects(names ...string) bool {
	s := &p.selected
	if s.names == nil {
		s.names = map[string]bool{}
		for _, f := range p.Files {
			s.add(f.Src)
		}
	}
	if !s.importersRead && !s.hasAny(names) {
		s.importersRead = true
		s.addImporters(p.Path, p.Dir)
		if p.moduleDir != "" {
			s.addImporters(p.Path, p.moduleDir)
		}
	}
	return s.hasAny(names)
}

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
