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
	if p.selected == nil {
		p.selected = map[string]bool{}
		for _, f := range p.Files {
			p.addSelected(f.Src)
		}
	}
	has := func(name string) bool { return p.selected[name] }
	if slices.ContainsFunc(names, has) || p.asked {
		return slices.ContainsFunc(names, has)
	}
	p.asked = true
	users := p.usersBelow(nil, p.Dir)
	if m := p.listed.Module; m != nil && m.Dir != "" {
		users = p.usersBelow(users, m.Dir)
	}
	for _, text := range users {
		p.addSelected(text)
	}
	return slices.ContainsFunc(names, has)
}

var selector = regexp.MustCompile(`\.([\pL_][\pL\p{Nd}_]*)`)

func (p *Package) addSelected(text []byte) {
	for _, m := range selector.FindAllSubmatch(text, -1) {
		p.selected[string(m[1])] = true
	}
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
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if text, err := fs.ReadFile(tree, name); err == nil && bytes.Contains(text, importPath) &&
			!source.IsOutput(path.Base(name), text) {
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
