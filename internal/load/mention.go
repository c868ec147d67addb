package load

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
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
	found, importPath := false, []byte(`"`+p.Path+`"`)
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		name := e.Name()
		if e.IsDir() {
			if path != dir && outside(path, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == OutputName {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, importPath) && pattern.Match(text) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// outside reports whether a folder does not belong to the module around it.
func outside(path, name string) bool {
	if name == "vendor" || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}
