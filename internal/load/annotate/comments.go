package annotate

import (
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// attacher finds the directives of one file.
type attacher struct {
	fset   *token.FileSet
	file   *source.File
	owners map[*ast.CommentGroup]owner
	decls  []*Decl
	out    *diag.List
}

func newAttacher(fset *token.FileSet, file *source.File, out *diag.List) *attacher {
	return &attacher{fset: fset, file: file, owners: ownersOf(file.AST), out: out}
}

// directives lexes the lines of g and reports near misses.
func (a *attacher) directives(g *ast.CommentGroup) []*directive.Directive {
	var out []*directive.Directive
	where := a.where(g)
	for _, c := range g.List {
		if c.Text[1] != '/' {
			nearmiss.Block(a.fset, c.Slash, c.Text, where, a.out)
			where.First, where.Begins = false, true
			continue
		}
		line := a.file.Line(c.Slash)
		if d, ok := directive.Parse(c.Slash, line); ok {
			out = append(out, d)
			where.Begins = true
		} else {
			missed := nearmiss.Line(a.fset, c.Slash, line, where, a.out)
			where.Begins = missed || nearmiss.EndsSentence(line)
		}
		where.First = false
	}
	return out
}

// where says where the first line of g is, for messages.
func (a *attacher) where(g *ast.CommentGroup) nearmiss.Where {
	pl, attached := a.owners[g]
	w := nearmiss.Where{On: pl.on, First: true, Begins: true}
	w.Inside = attached && pl.trailing || pl.on == directive.OnField || pl.on == directive.OnMember
	if !attached {
		w.Inside = a.enclosing(g) != nil || a.before(g) != nil
		if !w.Inside {
			w.On = ^directive.Target(0)
		}
	}
	return w
}

// enclosing returns the declaration that g stands in, or nil.
func (a *attacher) enclosing(g *ast.CommentGroup) ast.Decl {
	for _, d := range a.file.AST.Decls {
		if d.Pos() <= g.Pos() && g.End() <= d.End() {
			return d
		}
	}
	return nil
}

// before returns the declaration that ends on the line where g begins, or nil.
func (a *attacher) before(g *ast.CommentGroup) ast.Decl {
	file := a.fset.File(g.Pos())
	for _, d := range a.file.AST.Decls {
		if d.End() <= g.Pos() && file.Line(d.End()) == file.Line(g.Pos()) {
			return d
		}
	}
	return nil
}
