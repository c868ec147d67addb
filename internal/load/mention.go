package load

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Mentions reports whether code of p, or of a package in its module that imports p, matches the pattern.
// Tests and our own output do not count, nor what the go command would leave out. It only serves advice:
// files need not parse, and what cannot be read is skipped. The first call that finds nothing in p itself
// reads the disk. It is not safe for concurrent use.
func (p *Package) Mentions(pattern *regexp.Regexp) bool {
	for _, f := range p.Files {
		if pattern.Match(f.Src) {
			return true
		}
	}
	if p.users == nil {
		p.users = p.usersBelow([][]byte{}, p.Dir)
		if m := p.listed.Module; m != nil && m.Dir != "" {
			p.users = p.usersBelow(p.users, m.Dir)
		}
	}
	return slices.ContainsFunc(p.users, pattern.Match)
}

// usersBelow appends the files below dir that import p.
func (p *Package) usersBelow(users [][]byte, dir string) [][]byte {
	importPath, tree := []byte(`"`+p.Path+`"`), os.DirFS(dir)
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
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			path.Base(name) == OutputName {
			return nil
		}
		if text, err := fs.ReadFile(tree, name); err == nil && bytes.Contains(text, importPath) {
			users = append(users, text)
		}
		return nil
	})
	return users
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
