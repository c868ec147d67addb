package server

import (
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitVars writes the function that decodes and checks the variables of a template.
//
//	// readNoteVars reads the variables of notes:///{name}.
//	func readNoteVars(v *mcprt.Vars) (NoteVars, error) {
//		var x NoteVars
//		x.Name = v.Text(0, "name")
//		return x, v.Err()
//	}
func emitVars(f *serverFile, r *ir.Resource) {
	if r.Template == nil || !f.first(r.Names.ReadVars) {
		return
	}
	into, values := f.readInto(r, "x")
	body := append([]jen.Code{jen.Var().Add(into...).Add(jenutil.Ident(r.Names.Vars))}, readEach(r, values)...)
	f.note(r.Names.ReadVars + " reads the variables of " + r.URI + ".")
	f.Func().Add(jenutil.Ident(r.Names.ReadVars)).Params(jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars")))).
		Params(jenutil.Ident(r.Names.Vars), jen.Error()).
		Block(append(body, jen.Return(append(into, jen.Id("v").Dot("Err").Call())...))...)
	emitTopic(f, r)
}

// emitVarsType writes the struct of the variables of a template. Those with a description have a comment.
//
//	// NoteVars are the variables of notes:///{name}.
//	type NoteVars struct {
//		// Name is the variable name: what the note is called.
//		Name string
//	}
func emitVarsType(f *serverFile, r *ir.Resource) {
	var fields []jen.Code
	for _, v := range r.Vars {
		if v.Desc != "" {
			doc := v.GoName + " is the variable " + v.Name + ": " + strings.TrimSuffix(v.Desc, ".") + "."
			fields = append(fields, jenutil.Note(doc))
		}
		fields = append(fields, jenutil.Ident(v.GoName).Add(jenutil.GoType(paramType(v))))
	}
	f.note(r.Names.Vars + " are the variables of " + r.URI + ".")
	f.Type().Add(jenutil.Ident(r.Names.Vars)).Struct(fields...)
}

// readEach reads each variable into its place in values.
func readEach(r *ir.Resource, values []jen.Code) []jen.Code {
	var body []jen.Code
	for i, v := range r.Vars {
		body = append(body, decodeVar(v, i, values[i])...)
	}
	return body
}

// emitToolURIs writes the functions that make URIs of the arguments of tools.
//
//	// toolNoteURI returns the NoteURI of the variables that read_note was given.
//	func toolNoteURI(v *mcprt.Vars) (string, error) {
//		x, err := readNoteVars(v)
//		if err != nil {
//			return "", err
//		}
//		return NoteURI(x.Name), nil
//	}
func emitToolURIs(f *serverFile, s *ir.Server) {
	for _, t := range s.Tools {
		r := t.Reads
		if r == nil || !f.first(t.CallName) {
			continue
		}
		f := f.of(t.Callee.File)
		into, values := f.readInto(r, "x")
		f.note(t.CallName + " returns the " + r.Names.URI + " of the variables that " + t.Name + " was given.")
		f.Func().Add(jenutil.Ident(t.CallName)).Params(jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars")))).
			Params(jen.String(),
				jen.Error()).Block(
			readVarsCode(r, into, jen.Id("v")),
			jenutil.IfErr(jen.Lit(""), jen.Err()),
			jen.Return(jenutil.Ident(r.Names.URI).Call(values...), jen.Nil()))
	}
}

// kindsCode are the kinds of the variables of r as JSON: wire.KindString, wire.KindNumber.
func kindsCode(r *ir.Resource) (kinds []jen.Code) {
	for _, v := range r.Vars {
		if v.Elem != nil {
			v = v.Elem
		}
		kind := "KindString"
		switch v.Kind {
		case ir.VarBool:
			kind = "KindBool"
		case ir.VarInt, ir.VarUint, ir.VarFloat:
			kind = "KindNumber"
		case ir.VarEnum:
			if v.Bits > 0 {
				kind = "KindNumber"
			}
		}
		kinds = append(kinds, jenutil.Wire(kind))
	}
	return kinds
}

// decodeVar reads variable i into x: its default first, then its value, then its bounds.
//
//	v.Default(3, "100")
//	limit = mcprt.VarInt[int](v, 3, "limit")
//	mcprt.VarRange(v, "limit", limit, 1, 1000)
func decodeVar(v *ir.Var, i int, x jen.Code) []jen.Code {
	ago, relative := relativeDefault(v)
	switch {
	case v.Kind == ir.VarSlice:
		return decodeList(v, i, x)
	case v.Pointer:
		return decodePointer(v, i, x)
	case relative:
		return append(decodeScalar(v, i, x), jen.If(jen.Add(x).Dot("IsZero").Call()).Block(
			jen.Add(x).Op("=").Add(nowPlus(ago))))
	}
	return append(absentCode(v, i), decodeScalar(v, i, x)...)
}

// absentCode says what holds if the URI does not have the variable: nothing if that is zero.
//
//	v.Default(3, "100")
func absentCode(v *ir.Var, i int) []jen.Code {
	switch {
	case v.HasDefault && !isZero(v):
		return []jen.Code{jen.Id("v").Dot("Default").Call(jen.Lit(i), jen.Lit(v.Default))}
	case v.Required && v.Op.InQuery():
		return []jen.Code{jen.Id("v").Dot("Need").Call(jen.Lit(i), jen.Lit(v.Name))}
	}
	return nil
}

// isZero reports whether the default of v is what an absent variable is anyway.
func isZero(v *ir.Var) bool {
	switch v.Kind {
	case ir.VarString:
		return v.Default == ""
	case ir.VarBool:
		return !isTrue(v.Default)
	case ir.VarInt, ir.VarUint, ir.VarFloat:
		return v.Default == "0"
	}
	return false
}

func has(i int) jen.Code { return jen.Id("v").Dot("Has").Call(jen.Lit(i)) }

// decodeScalar reads a value and checks it.
func decodeScalar(v *ir.Var, i int, x jen.Code) []jen.Code {
	return append([]jen.Code{jen.Add(x).Op("=").Add(valueCode(v, i))}, boundsCode(v, i, x)...)
}

// decodePointer leaves the pointer nil if the URI does not have the variable.
//
//	if v.Has(3) {
//		limit = new(mcprt.VarInt[int](v, 3, "limit"))
//	}
func decodePointer(v *ir.Var, i int, x jen.Code) []jen.Code {
	set := []jen.Code{jen.Add(x).Op("=").Add(jen.New(valueCode(v, i)))}
	set = append(set, boundsCode(v, i, jenutil.Deref(x))...)
	if v.Op.InQuery() && !v.HasDefault && !v.Required {
		return []jen.Code{jen.If(has(i)).Block(set...)}
	}
	return append(absentCode(v, i), set...)
}

// decodeList reads each element of a list.
//
//	for range v.Each(2) {
//		ids = append(ids, mcprt.VarInt[int](v, 2, "id"))
//	}
func decodeList(v *ir.Var, i int, x jen.Code) []jen.Code {
	elem := elemOf(v)
	each := []jen.Code{appendTo(x, valueCode(elem, i))}
	if bounds := boundsCode(elem, i, jen.Id("e")); len(bounds) > 0 {
		each = append([]jen.Code{jen.Id("e").Op(":=").Add(valueCode(elem, i))}, bounds...)
		each = append(each, appendTo(x, jen.Id("e")))
	}
	return append(absentCode(v, i), jen.For(jen.Range().Id("v").Dot("Each").Call(jen.Lit(i))).Block(each...))
}

// appendTo is ids = append(ids, value).
func appendTo(x, value jen.Code) jen.Code { return jen.Add(x).Op("=").Append(x, value) }

// elemOf is an element of a list as a variable of its own, with the bounds of the list.
func elemOf(v *ir.Var) *ir.Var {
	e := *v.Elem
	e.Op, e.Explode = v.Op, v.Explode
	e.Name, e.Min, e.Max, e.MinLen, e.MaxLen, e.Pattern = v.Name, v.Min, v.Max, v.MinLen, v.MaxLen, v.Pattern
	return &e
}

// valueCode reads one value, of the type that v has.
func valueCode(v *ir.Var, i int) *jen.Statement {
	at := []jen.Code{jen.Lit(i), jen.Lit(v.Name)}
	generic := func(name string, more ...jen.Code) *jen.Statement {
		args := append(append([]jen.Code{jen.Id("v")}, at...), more...)
		return jenutil.RT(name).Types(jenutil.GoType(v.Type)).Call(args...)
	}
	switch v.Kind {
	case ir.VarBool:
		return from(v.Type, "bool", jen.Id("v").Dot("Bool").Call(at...))
	case ir.VarInt, ir.VarUint:
		return generic("VarInt")
	case ir.VarFloat:
		return generic("VarFloat")
	case ir.VarEnum:
		if v.Bits > 0 {
			return generic("VarInt")
		}
		return generic("VarEnum", jenutil.Strings(v.Values)...)
	case ir.VarTime:
		return jen.Id("v").Dot("Time").Call(append(at, layoutCode(v, "RFC3339"))...)
	case ir.VarDuration:
		return jen.Id("v").Dot("Duration").Call(at...)
	case ir.VarText:
		if v.Values != nil && !v.Late {
			return generic("VarEnumText", jenutil.Strings(v.Values)...)
		}
		return generic("VarOf")
	}
	read := "Text"
	switch {
	case v.Raw:
		read = "RawText"
	case v.Spans():
		read = "PathText"
	}
	return from(v.Type, "string", jen.Id("v").Dot(jenutil.Name(read)).Call(at...))
}

// boundsCode checks a value against the limits of its declaration.
//
//	mcprt.VarMin(v, "limit", limit, 1)
//	v.FloatMax(2, "scale", "4.5")
func boundsCode(v *ir.Var, i int, x jen.Code) []jen.Code {
	var out []jen.Code
	check := func(name string, limits ...jen.Code) {
		args := []jen.Code{jen.Id("v"), jen.Lit(v.Name), jen.Add(x)}
		out = append(out, jenutil.RT(name).Call(append(args, limits...)...))
	}
	limit := func(name, text string) {
		switch {
		case text == "":
		case v.Kind == ir.VarFloat:
			out = append(out, jen.Id("v").Dot(jenutil.Name("Float"+name)).Call(jen.Lit(i), jen.Lit(v.Name), jen.Lit(text)))
		default:
			check("Var"+name, valueLit(v, text))
		}
	}
	limit("Min", v.Min)
	limit("Max", v.Max)
	if v.Kind == ir.VarEnum && v.Bits > 0 || v.Late {
		check("VarOneOf", jenutil.Numbers(v.Values)...)
	}
	if v.Kind == ir.VarString && (v.MinLen > 0 || v.MaxLen >= 0) {
		out = append(out, jen.Id("v").Dot("Length").Call(
			jen.Lit(v.Name), as(v.Type, "string", jen.Add(x)), jen.Lit(max(v.MinLen, 0)), jen.Lit(v.MaxLen)))
	}
	if v.Pattern != nil {
		fits := jenutil.Ident(v.Pattern.Name).Call().Dot("MatchString").Call(as(v.Type, "string", jen.Add(x)))
		out = append(out, jen.Id("v").Dot("Must").Call(jen.Lit(v.Name), fits,
			jen.Lit("want text that matches "+shortText(v.Pattern.Expr))))
	}
	return out
}

// relativeDefault is the default of a time that is meant from now: -1h.
func relativeDefault(v *ir.Var) (time.Duration, bool) {
	if v.Kind != ir.VarTime || !v.HasDefault || v.Pointer {
		return 0, false
	}
	if v.Default == "now" {
		return 0, true
	}
	d, err := time.ParseDuration(strings.TrimSpace(v.Default))
	return d, err == nil
}

// nowPlus is time.Now().Add(-time.Hour).
func nowPlus(d time.Duration) *jen.Statement {
	now := jen.Qual("time", "Now").Call()
	if d == 0 {
		return now
	}
	return now.Dot("Add").Call(jenutil.Duration(d))
}
