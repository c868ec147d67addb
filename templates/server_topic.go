package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitTopic writes the function that says what all spellings of a URI have in common: the URI that the builder writes
// of their variables, for an alias that of the first address.
//
//	// topicNote appends the NoteURI that stands for all URIs notes:///{name} with these variables.
//	func topicNote(b []byte, v *mcprt.Vars) ([]byte, error) {
//		name, err := noteVars(v)
//		if err != nil {
//			return b, err
//		}
//		return appendNoteURI(b, name), nil
//	}
func emitTopic(f *serverFile, r *ir.Resource) {
	if !f.first(r.Names.Topic) {
		return
	}
	names, main := f.localNames(r), r
	values := names
	if r.AliasOf != nil {
		main, values = r.AliasOf, nil
		for _, v := range main.Vars {
			values = append(values, names[placeOf(r, v)])
		}
	}
	body := []jen.Code{
		jen.List(append(idents(names), jen.Err())...).Op(":=").Add(snip.Ident(r.Names.Vars)).Call(jen.Id("v")),
		snip.IfErr(jen.Id("b"), jen.Err()),
	}
	fault := jen.Nil()
	for i, v := range r.Vars {
		code, checks := f.oneForm(r, v, i, names[i])
		body = append(body, code...)
		if checks {
			fault = jen.Id("v").Dot("Err").Call()
		}
	}
	uri := snip.Ident(f.appendName(main)).Call(append([]jen.Code{jen.Id("b")}, idents(values)...)...)
	f.note(r.Names.Topic + " appends the " + main.Names.URI + " that stands for all URIs " + r.URI +
		" with these variables.")
	f.Func().Add(snip.Ident(r.Names.Topic)).Params(jen.Id("b").Index().Byte(),
		jen.Id("v").Add(snip.PtrTo(snip.RT("Vars")))).
		Params(jen.Index().Byte(), jen.Error()).
		Block(append(body, jen.Return(uri, fault))...)
}

// placeOf is the place of the variable of r that goes to the same parameter as v.
func placeOf(r *ir.Resource, v *ir.Var) int {
	for i, own := range r.Vars {
		if own.Param == v.Param {
			return i
		}
	}
	panic(snip.BadIRError{What: "not a variable of " + r.URI, Text: v.Param})
}

// oneForm changes the value of variable i to the one that stands for all that mean the same, and reports whether it may
// make the error of v.
//
//	if v.Time(2, "since", time.RFC3339).IsZero() {
//		since = time.Time{} // left out: what it means changes all the time
//	}
func (f *serverFile) oneForm(r *ir.Resource, v *ir.Var, i int, name string) (code []jen.Code, checks bool) {
	if _, relative := relativeDefault(v); relative {
		return []jen.Code{jen.If(valueCode(v, i).Dot("IsZero").Call()).Block(
			snip.Ident(name).Op("=").Add(snip.GoType(v.Type)).Values())}, false
	}
	if r.Root != nil && r.Root.Directory && i == r.Root.Path {
		trimmed := jen.Qual("strings", "TrimSuffix").Call(as(v.Type, "string", snip.Ident(name)), jen.Lit("/"))
		return []jen.Code{snip.Ident(name).Op("=").Add(from(v.Type, "string", trimmed))}, false
	}
	written := func(x jen.Code) jen.Code { return jen.Id("v").Dot("Written").Call(jen.Lit(v.Name), x) }
	switch {
	case v.Kind == ir.VarSlice && v.Elem.Kind == ir.VarText:
		each := jen.For(jen.Id("x").Op(":=").Range().Add(snip.Ident(name)))
		return []jen.Code{each.Block(written(snip.AddrOf(snip.Ident(name).Index(jen.Id("x")))))}, true
	case v.Kind == ir.VarText && v.Pointer:
		return []jen.Code{jen.If(snip.Ident(name).Op("!=").Nil()).Block(written(snip.Ident(name)))}, true
	case v.Kind == ir.VarText:
		return []jen.Code{written(snip.AddrOf(snip.Ident(name)))}, true
	}
	return nil, false
}
