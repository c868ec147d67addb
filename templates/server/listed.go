package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitEnumList writes the lister of a template whose variables have only a few values.
//
//	// listShelf lists a resource shelves:///{shelf} for every value.
//	func listShelf(context.Context) iter.Seq2[ShelfRef, error] {
//		return func(yield func(ShelfRef, error) bool) {
//			for _, shelf := range []Shelf{"poems", "novels"} {
//				if !yield(ShelfRef{Shelf: shelf}, nil) {
//					return
//				}
//			}
//		}
//	}
func emitEnumList(f *serverFile, r *ir.Resource) {
	if r.List == nil || !r.List.Enum || !f.first(r.Names.List) {
		return
	}
	ref := jenutil.Ident(r.Names.Ref)
	names := f.localNames(r)
	var m jenutil.Members
	for i, v := range r.Vars {
		if counted(v) {
			m.Add(v.GoName, jenutil.Ident(names[i]))
		}
	}
	stop := jen.If(jen.Op("!").Id("yield").Call(ref.Clone().Add(m.Inline()), jen.Nil())).Block(jen.Return())
	body := []jen.Code{stop}
	for i, v := range slices.Backward(r.Vars) {
		if counted(v) {
			values := jen.Index().Add(jenutil.GoType(v.Type)).Values(countedValues(v)...)
			each := jen.List(jen.Id("_"), jenutil.Ident(names[i])).Op(":=").Range().Add(values)
			body = []jen.Code{jen.For(each).Block(body...)}
		}
	}
	yield := jen.Id("yield").Func().Params(ref.Clone(), jen.Error()).Bool()

	f.note(r.Names.List + " lists a resource " + r.URI + " for every value.")
	f.Func().Add(jenutil.Ident(r.Names.List)).Params(jen.Qual("context", "Context")).
		Add(jen.Qual("iter", "Seq2").Types(ref.Clone(), jen.Error())).
		Block(jen.Return(jen.Func().Params(yield).Block(body...)))
}

// counted reports whether a lister of all values goes through those of v; others are left out.
func counted(v *ir.Var) bool {
	return !v.Pointer && (!v.Op.InQuery() || v.Required) && v.Closed()
}

// countedValues are the values of v as literals.
func countedValues(v *ir.Var) []jen.Code {
	if v.Kind == ir.VarBool {
		return []jen.Code{jen.False(), jen.True()}
	}
	var out []jen.Code
	for _, text := range v.Values {
		out = append(out, valueLit(v, text))
	}
	return out
}
