package load

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// Mentions reports whether code of p, or of a package in its module that imports p, matches the pattern.
// Tests and our own output do not count, nor what the go command would leave out. It only serves advice:
// files need not parse, and what cannot be read is skipped. It reads the disk until it finds a match.
func (p *Package) Mentions(pattern *regexp.Regexp) bool {
	for _, f := range p.Files {
		if pattern.Match(f.Src) {
			return true
		}
	}
	if p.mentionedBelow(p.Dir, pattern) {
		return true
	}
	m := p.listed.Module
	return m != nil && m.Dir != "" && p.mentionedBelow(m.Dir, pattern)
}

// mentionedBelow is Mentions for files below dir that import p.
func (p *Package) mentionedBelow(dir string, pattern *regexp.Regexp) bool {
	found, importPath, tree := false, []byte(`"`+p.Path+`"`), os.DirFS(dir)
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
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || path.Base(name) == OutputName {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err == nil && bytes.Contains(text, importPath) && pattern.Match(text) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// outside reports whether a folder does not belong to the module around it.
func outside(tree fs.FS, name string) bool {
	base := path.Base(name)
	if base == "vendor" || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(tree, path.Join(name, "go.mod"))
	return err == nil
}
