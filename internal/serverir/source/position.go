package source

import (
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
)

// NameOf is the source range of a declaration's name.
func NameOf(d *load.Decl) (from, to token.Pos) {
	if d.Ident == nil {
		return d.Pos(), d.Pos()
	}
	return d.Ident.Pos(), d.Ident.End()
}

// ValueOf is the source range of a directive's value, or of the whole argument if it has none.
func ValueOf(a *directive.Arg) (from, to token.Pos) {
	if a.HasValue {
		return a.ValuePos(), a.ValueEnd()
	}
	return a.Pos, a.End
}

// NamedAt is where a feature has its name: the value of name=, or else the name of its declaration.
func NamedAt(d *load.Decl, name directive.String) (from, to token.Pos) {
	if name.Set() {
		return ValueOf(name.Arg)
	}
	return NameOf(d)
}

// ParamRange is the name of a parameter in the source.
func ParamRange(p *types.Var) (from, to token.Pos) {
	return p.Pos(), p.Pos() + token.Pos(max(1, len(p.Name())))
}

// ParamType is the type of the parameter called name in the source of d, or the parameter itself.
func ParamType(d *load.Decl, p *types.Var) (from, to token.Pos) {
	if f := d.Func(); f != nil {
		for _, field := range f.Type.Params.List {
			for _, id := range field.Names {
				if id.Pos() == p.Pos() {
					return field.Type.Pos(), field.Type.End()
				}
			}
		}
	}
	return ParamRange(p)
}

// ResultRange is the result list of d, or its name if it has no results.
func ResultRange(d *load.Decl) (from, to token.Pos) {
	if f := d.Func(); f != nil && f.Type.Results != nil {
		return f.Type.Results.Pos(), f.Type.Results.End()
	}
	return NameOf(d)
}
