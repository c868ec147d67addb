package server

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitGuards writes the declarations that fail to compile when the signature of an annotated function has changed: an
// interface for the methods of each receiver, and a variable for each function. Each variable is a declaration of its
// own, because gofmt aligns those of a group with the longest.
//
//	type methods_of_Notes_changed__run_go_generate interface {
//		Note(context.Context, string) (string, error)
//	}
//
//	var _ methods_of_Notes_changed__run_go_generate = (*Notes)(nil)
//
//	var _ func(context.Context) (string, error) = Motd
func emitGuards(f *serverFile) {
	for _, source := range append(slices.Clip(f.pkg.Sources), "") {
		in := f.of(source)
		if in == f && source != "" {
			continue
		}
		in.guards(slices.DeleteFunc(slices.Clone(f.pkg.Guards), func(g ir.Guard) bool { return f.of(g.File) != in }))
	}
}

// guards writes the guards that belong to f.
func (f *serverFile) guards(own []ir.Guard) {
	if len(own) == 0 {
		return
	}
	f.note("A compile error below names what has changed since this file was written: run go generate.")
	for i, g := range own {
		first := !slices.ContainsFunc(own[:i], func(o ir.Guard) bool { return sameType(o.Recv, g.Recv) })
		if g.Recv != nil && first {
			f.methodGuard(g, own[i:])
		}
	}
	f.Line()
	for _, g := range own {
		if g.Recv == nil {
			f.Var().Id("_").Add(jenutil.GoType(g.Type)).Op("=").Add(jenutil.Ident(g.Func))
		}
	}
}

// methodGuard writes the interface that the receiver of g implements, with all of its methods in list.
func (f *serverFile) methodGuard(g ir.Guard, list []ir.Guard) {
	var methods []jen.Code
	for _, m := range list {
		if sameType(m.Recv, g.Recv) {
			signature := *m.Type
			signature.Params = signature.Params[1:]
			methods = append(methods, jenutil.Method(m.Func, &signature))
		}
	}
	value := jen.Op("*").New(jenutil.GoType(g.Recv))
	if g.Recv.Kind == ir.GoPointer {
		value = jen.Parens(jenutil.GoType(g.Recv)).Call(jen.Nil())
	}
	name := jenutil.Ident(f.guardName(g))
	f.Type().Add(name.Clone()).Interface(methods...)
	f.Line()
	f.Var().Id("_").Add(name).Op("=").Add(value)
	f.Line()
}

// guardName is the name of the interface for the receiver of g. In output that is split each file has one of its own.
func (f *serverFile) guardName(g ir.Guard) string {
	recv := g.Recv
	of := "values_of_"
	if recv.Kind == ir.GoPointer {
		recv, of = recv.Elem, "methods_of_"
	}
	of += recv.Name
	if f.pkg.Split {
		of += "_in_" + goname.Unexported(goname.Of(strings.TrimSuffix(g.File, ".go")))
	}
	name := of + "_changed__run_go_generate"
	for !f.first(name) {
		name = "more_" + name
	}
	return name
}
