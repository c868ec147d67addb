package annotate

import (
	"go/ast"
	"go/token"

	"github.com/mcpgen/mcpgen/internal/load/embedfile"
)

// embeds returns the patterns of the //go:embed lines above a variable, which may stand apart from its doc comment.
// Without any, it returns those that are none because of a space.
func (a *attacher) embeds(pl owner) (out []embedfile.Pattern) {
	var spaced []embedfile.Pattern
	from, to := a.above(pl.node)
	for _, g := range a.file.AST.Comments {
		if g.Pos() < from || g.End() > to {
			continue
		}
		for _, c := range g.List {
			if c.Text[1] != '/' {
				continue
			}
			line := a.file.Line(c.Slash)
			out = append(out, embedfile.Parse(c.Slash, line)...)
			spaced = append(spaced, embedfile.Spaced(c.Slash, line)...)
		}
	}
	if v, ok := pl.node.(*ast.ValueSpec); len(out) == 0 && ok && len(v.Values) == 0 {
		return spaced
	}
	return out
}

// above returns the source between a specification and the declaration before it.
func (a *attacher) above(node ast.Node) (from, to token.Pos) {
	from = a.file.AST.Name.End()
	for _, d := range a.file.AST.Decls {
		gen, ok := d.(*ast.GenDecl)
		if ok && d.Pos() <= node.Pos() && node.End() <= d.End() {
			if !gen.Lparen.IsValid() {
				return from, d.Pos()
			}
			from = gen.Lparen
			for _, spec := range gen.Specs {
				if spec == node {
					break
				}
				from = spec.End()
			}
			return from, node.Pos()
		}
		from = d.End()
	}
	return from, node.Pos()
}
