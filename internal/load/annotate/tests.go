package annotate

import (
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// InTest reports MCP809 for directives in a test, which nobody reads.
func InTest(fset *token.FileSet, file *ast.File, out *diag.List) {
	for _, g := range file.Comments {
		for _, c := range g.List {
			dir, ok := directive.Parse(c.Slash, c.Text)
			if !ok || directive.Lookup(dir.Name) == nil {
				continue
			}
			d := diag.New("MCP809", diag.PosOf(fset, dir.Pos, dir.End), "`%s` is ignored: this is a test file", dir.Name)
			d.Fix = "move the declaration to a file that is no test"
			out.Add(d)
		}
	}
}
