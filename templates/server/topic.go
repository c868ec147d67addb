package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitTopic writes the function that says what all spellings of a URI have in common: the URI that the builder writes
// of their variables, for an alias that of the first address.
//
//	// topicNote appends the NoteURI that stands for all spellings of a URI notes:///{name}.
//	func topicNote(b []byte, v *mcprt.Vars) ([]byte, error) {
//		x, err := readNoteVars(v)
//		if err != nil {
//			return b, err
//		}
//		return appendNoteURI(b, x.Name), nil
//	}
func emitTopic(f *serverFile, r *ir.Resource) {
	if !f.first(r.Names.Topic) {
		return
	}
	into, fields := f.readInto(r, "x")
	main, values := r, fields
	if r.AliasOf != nil {
		main, values = r.AliasOf, nil
		for _, v := range main.Vars {
			values = append(values, fields[placeOf(r, v)])
		}
	}
	body := []jen.Code{
		readVarsCode(r, into, jen.Id("v")),
		jenutil.IfErr(jen.Id("b"), jen.Err()),
	}
	fault := jen.Nil()
	for i, v := range r.Vars {
		code, checks := f.oneForm(r, v, i, fields[i])
		body = append(body, code...)
		if checks {
			fault = jen.Id("v").Dot("Err").Call()
		}
	}
	uri := jenutil.Ident(f.appendName(main)).Call(append([]jen.Code{jen.Id("b")}, values...)...)
	f.note(r.Names.Topic + " appends the " + main.Names.URI + " that stands for all spellings of a URI " + r.URI + ".")
	f.Func().Add(jenutil.Ident(r.Names.Topic)).Params(jen.Id("b").Index().Byte(),
		jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars")))).
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
	panic(jenutil.BadIRError{What: "not a variable of " + r.URI, Text: v.Param})
}

// oneForm changes x, the value of variable i, to the one that stands for all that mean the same, and reports whether it
// may make the error of v.
//
//	if v.Time(2, "since", time.RFC3339).IsZero() {
//		x.Since = time.Time{} // left out: what it means changes all the time
//	}
func (f *serverFile) oneForm(r *ir.Resource, v *ir.Var, i int, x jen.Code) (code []jen.Code, checks bool) {
	if _, relative := relativeDefault(v); relative {
		return []jen.Code{jen.If(valueCode(v, i).Dot("IsZero").Call()).Block(
			jen.Add(x).Op("=").Add(jenutil.GoType(v.Type)).Values())}, false
	}
	if r.Root != nil && r.Root.Directory && i == r.Root.Path {
		trimmed := jen.Qual("strings", "TrimSuffix").Call(as(v.Type, "string", jen.Add(x)), jen.Lit("/"))
		return []jen.Code{jen.Add(x).Op("=").Add(from(v.Type, "string", trimmed))}, false
	}
	written := func(p jen.Code) jen.Code { return jen.Id("v").Dot("Written").Call(jen.Lit(v.Name), p) }
	switch {
	case v.Kind == ir.VarSlice && v.Elem.Kind == ir.VarText:
		each := jen.For(jen.Id("i").Op(":=").Range().Add(x))
		return []jen.Code{each.Block(written(jenutil.AddrOf(jen.Add(x).Index(jen.Id("i")))))}, true
	case v.Kind == ir.VarText && v.Pointer:
		return []jen.Code{jen.If(jen.Add(x).Op("!=").Nil()).Block(written(x))}, true
	case v.Kind == ir.VarText:
		return []jen.Code{written(jenutil.AddrOf(x))}, true
	}
	return nil, false
}
