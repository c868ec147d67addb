package server

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitGuards writes the declarations that fail to compile when the signature of an annotated
// function has changed. Each is a declaration of its own, because gofmt aligns those of a group with the longest.
//
//	type signature_of_Motd_changed__run_go_generate func(context.Context) (string, error)
//
//	var _ signature_of_Motd_changed__run_go_generate = Motd
func emitGuards(f *serverFile) {
	for _, in := range append(slices.Collect(maps.Values(f.parts)), f) {
		in.guards(slices.DeleteFunc(slices.Clone(f.pkg.Guards), func(g ir.Guard) bool { return f.of(g.File) != in }))
	}
}

// guards writes the guards that belong to f.
func (f *serverFile) guards(own []ir.Guard) {
	if len(own) == 0 {
		return
	}
	f.note("A compile error at one of these types names what has changed since this file was written.")
	for _, g := range own {
		f.Type().Add(jenutil.Ident(g.Name)).Add(jenutil.GoType(g.Type))
	}
	f.Line()
	for _, g := range own {
		f.Var().Id("_").Add(jenutil.Ident(g.Name)).Op("=").Add(guarded(g))
	}
}

// guarded is the function as a value: Motd, Config.Note or (*Notes).Note.
func guarded(g ir.Guard) *jen.Statement {
	if g.Recv == nil {
		return jenutil.Ident(g.Func)
	}
	recv := jenutil.GoType(g.Recv)
	if g.Recv.Kind == ir.GoPointer {
		recv = jen.Parens(recv)
	}
	return recv.Dot(jenutil.Name(g.Func))
}
