package serverir

import (
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/load"
)

// paramRange is the name of a parameter in the source.
func paramRange(p *types.Var) (from, to token.Pos) {
	return p.Pos(), p.Pos() + token.Pos(max(1, len(p.Name())))
}

// paramType is the type of the parameter called name in the source of d, or the parameter itself.
func paramType(d *load.Decl, p *types.Var) (from, to token.Pos) {
	if f := d.Func(); f != nil {
		for _, field := range f.Type.Params.List {
			for _, id := range field.Names {
				if id.Pos() == p.Pos() {
					return field.Type.Pos(), field.Type.End()
				}
			}
		}
	}
	return paramRange(p)
}

// resultRange is the result list of d, or its name if it has no results.
func resultRange(d *load.Decl) (from, to token.Pos) {
	if f := d.Func(); f != nil && f.Type.Results != nil {
		return f.Type.Results.Pos(), f.Type.Results.End()
	}
	return nameOf(d)
}
