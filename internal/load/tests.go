package load

import (
	"go/ast"
	"go/parser"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// inTests reports MCP809 for directives in the tests of a package, which nobody reads.
func (l *loader) inTests(p *Package, out *diag.List) error {
	names := slices.Concat(p.listed.TestGoFiles, p.listed.XTestGoFiles, p.listed.IgnoredGoFiles)
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		path := filepath.Join(p.Dir, name)
		src, err := l.readFile(path)
		if err != nil {
			return err
		}
		if !directive.Mentions(src) {
			continue
		}
		f, err := parser.ParseFile(l.fset, path, src, parseMode)
		if err != nil {
			continue // the compiler says so
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				l.inTest(c, out)
			}
		}
	}
	return nil
}

func (l *loader) inTest(c *ast.Comment, out *diag.List) {
	dir, ok := directive.Parse(c.Slash, c.Text)
	if !ok || directive.Lookup(dir.Name) == nil {
		return
	}
	d := diag.New("MCP809", diag.PosOf(l.fset, dir.Pos, dir.End), "`%s` is ignored: this is a test file", dir.Name)
	d.Fix = "move the declaration to a file that is no test"
	out.Add(d)
}
