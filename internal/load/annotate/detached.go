package annotate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// detached reports MCP107 for every directive of a group that belongs to
// nothing, with the reason that can be seen from its surroundings.
func (a *attacher) detached(g *ast.CommentGroup, dirs []*directive.Directive, pl owner) {
	if a.file.Err != nil {
		return // the parser may have lost the declaration
	}
	const lead = "directive is not attached to a declaration: "
	why, fix := "no declaration follows", "move it into the doc comment of its declaration"
	var edits []diag.Edit
	switch d := a.enclosing(g); {
	case pl.trailing:
		why = fmt.Sprintf("it stands behind `%s`", describe(pl.node, pl.on))
		fix = "move it to a line of its own above the declaration"
	case d != nil:
		why = fmt.Sprintf("it stands inside `%s`", describe(d, 0))
		fix = "move it above the declaration"
	case a.before(g) != nil:
		why = fmt.Sprintf("it stands behind `%s`", describe(a.before(g), 0))
		fix = "move it to a line of its own above the declaration"
	default:
		if next, from, ok := a.next(g); ok {
			why = fmt.Sprintf("a blank line separates it from `%s`", next)
			fix = "delete the blank line"
			edits = []diag.Edit{diag.EditOf(a.fset, g.End(), from, "\n")}
		}
	}
	for _, dir := range dirs {
		d := diag.New("MCP107", diag.PosOf(a.fset, dir.Pos, dir.End), "%s%s", lead, why)
		d.Fix, d.Edits = fix, edits
		a.out.Add(d)
	}
}

// next returns what follows g with nothing but blank lines in between, and
// where it begins, its own doc comment included.
func (a *attacher) next(g *ast.CommentGroup) (string, token.Pos, bool) {
	f := a.file.AST
	name, start := "", token.NoPos
	if g.End() <= f.Package {
		name, start = "package "+f.Name.Name, f.Package
		if f.Doc != nil {
			start = f.Doc.Pos()
		}
	} else {
		for _, d := range f.Decls {
			if d.Pos() > g.End() {
				name, start = describe(d, 0), withDoc(d)
				break
			}
		}
	}
	if start <= g.End() {
		return "", token.NoPos, false
	}
	between := a.file.Src[g.End()-f.FileStart : start-f.FileStart]
	return name, start, len(bytes.TrimSpace(between)) == 0
}

func withDoc(d ast.Decl) token.Pos {
	var doc *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		doc = d.Doc
	case *ast.GenDecl:
		doc = d.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return d.Pos()
}
