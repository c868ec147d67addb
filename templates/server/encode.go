package server

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitEncoders writes the functions that write the results of tools and resources as JSON.
//
//	// encodeFound writes a Found as JSON.
//	func encodeFound(e *wire.Encoder, v *Found) {
//		e.Object()
//		e.Name("matches").Array()
//		for i := range v.Matches {
//			encodeMatch(e.Elem(), &v.Matches[i])
//		}
//		e.EndArray()
//		e.EndObject()
//	}
func emitEncoders(f *serverFile) {
	for _, enc := range f.pkg.Encoders {
		f := f.of(enc.File)
		w := &encoderWriter{}
		var body []jen.Code
		if enc.Value.Kind == ir.EncStruct {
			body = w.object(jen.Id("e"), jen.Id("v"), &enc.Value, enc.Recursive)
		} else {
			body = w.holder(enc)
		}
		f.note(enc.Name + " writes " + article(enc.Type) + " as JSON.")
		f.Func().Add(jenutil.Ident(enc.Name)).
			Params(jen.Id("e").Add(jenutil.PtrTo(jenutil.Wire("Encoder"))),
				jen.Id("v").Add(jenutil.PtrTo(jenutil.GoType(enc.Type)))).
			Block(body...)
	}
}

// holder writes a type that is no struct. One that can hold itself stops when it seems to have no end.
//
//	if !e.Enter() {
//		return
//	}
//	…
//	e.Leave()
func (w *encoderWriter) holder(enc *ir.Encoder) []jen.Code {
	body := w.value(jen.Id("e"), jen.Parens(jenutil.Deref(jen.Id("v"))), &enc.Value)
	if !enc.Recursive {
		return body
	}
	enter := jen.If(jen.Op("!").Id("e").Dot("Enter").Call()).Block(jen.Return())
	return append(append([]jen.Code{enter}, body...), jen.Id("e").Dot("Leave").Call())
}

// encoderWriter writes the statements of one encoder; depth is the number of loops around them.
type encoderWriter struct{ depth int }

// value writes x. to is the encoder, perhaps behind the beginning of a member or an element.
func (w *encoderWriter) value(to, x *jen.Statement, v *ir.EncValue) []jen.Code {
	to, x = to.Clone(), x.Clone() // both are used more than once
	if v.Quoted {
		return quotedValue(to, x, v)
	}
	switch v.Kind {
	case ir.EncPointer:
		null := to.Clone().Dot("Null").Call()
		return []jen.Code{jen.If(x.Clone().Op("==").Nil()).Block(null).Else().Block(w.behind(to, x, v)...)}
	case ir.EncList:
		return w.list(to, x, v)
	case ir.EncMap:
		return w.mapping(to, x, v)
	case ir.EncStruct:
		return w.object(to, x, v, false)
	case ir.EncCall:
		return []jen.Code{jenutil.Ident(v.Encoder.Name).Call(to, jenutil.AddrOf(x))}
	}
	return []jen.Code{scalarEnc(to, x, v)}
}

// behind writes what a pointer points to that is not nil.
func (w *encoderWriter) behind(to, x *jen.Statement, v *ir.EncValue) []jen.Code {
	to, x = to.Clone(), x.Clone()
	if !v.Plain { // a pointer type of its own has no methods
		x = jenutil.AddrOf(jenutil.Deref(x))
	}
	switch v.Elem.Kind {
	case ir.EncCall:
		return []jen.Code{jenutil.Ident(v.Elem.Encoder.Name).Call(to, x)}
	case ir.EncText:
		return []jen.Code{to.Dot("Text").Call(x)}
	case ir.EncJSON:
		if v.Elem.Quoted {
			break
		}
		return []jen.Code{to.Dot("JSON").Call(x)}
	case ir.EncStruct:
		if !v.Plain {
			x = jen.Parens(x)
		}
		return w.value(to, x, v.Elem)
	case ir.EncList, ir.EncMap:
		return w.value(to, jen.Parens(jenutil.Deref(x)), v.Elem)
	}
	if v.Elem.Kind == ir.EncPointer && pointsToStruct(v.Elem) { // fields of it are selected: (*v.P).Name
		return w.value(to, jen.Parens(jenutil.Deref(x)), v.Elem)
	}
	return w.value(to, jenutil.Deref(x), v.Elem)
}

// pointsToStruct reports whether behind all pointers there is a struct that is written out in place.
func pointsToStruct(v *ir.EncValue) bool {
	for v.Kind == ir.EncPointer {
		v = v.Elem
	}
	return v.Kind == ir.EncStruct
}

// scalarEnc writes a value with one call: e.String(string(v.Name)).
func scalarEnc(to, x *jen.Statement, v *ir.EncValue) jen.Code {
	convert := func(typ, method string) jen.Code {
		if v.Plain && (typ == "string" || typ == "bool") {
			return to.Dot(jenutil.Name(method)).Call(x)
		}
		return to.Dot(jenutil.Name(method)).Call(jenutil.Ident(typ).Call(x))
	}
	switch v.Kind {
	case ir.EncString:
		return convert("string", "String")
	case ir.EncBool:
		return convert("bool", "Bool")
	case ir.EncInt:
		return convert("int64", "Int")
	case ir.EncUint:
		return convert("uint64", "Uint")
	case ir.EncFloat:
		return convert("float64", "Float")
	case ir.EncFloat32:
		return convert("float32", "Float32")
	case ir.EncBytes:
		if !v.Plain {
			x = jenutil.Wire("BytesOf").Call(x)
		}
		return to.Dot("Base64").Call(x)
	case ir.EncTime:
		return to.Dot("Time").Call(x)
	case ir.EncText:
		return to.Dot("Text").Call(jenutil.AddrOf(x))
	case ir.EncMapped:
		return mappedEnc(to, x, v)
	case ir.EncRaw:
		return to.Dot("Raw").Call(x)
	}
	return to.Dot("JSON").Call(jenutil.AddrOf(x))
}

// quotedValue writes a value between quotes.
//
//	e.Name("id").Quote().Int(int64(v.ID))
//	e.Quote()
func quotedValue(to, x *jen.Statement, v *ir.EncValue) []jen.Code {
	if v.Kind == ir.EncString {
		return []jen.Code{to.Dot("QuotedString").Call(jen.String().Call(x))}
	}
	return []jen.Code{scalarEnc(to.Dot("Quote").Call(), x, v), jen.Id("e").Dot("Quote").Call()}
}

// list writes the elements of a slice or an array.
func (w *encoderWriter) list(to, x *jen.Statement, v *ir.EncValue) []jen.Code {
	i := numbered("i", w.depth)
	w.depth++
	elem := w.value(jen.Id("e").Dot("Elem").Call(), x.Clone().Index(jenutil.Ident(i)), v.Elem)
	w.depth--
	each := jenutil.Ident(i).Op(":=").Range().Add(x)
	if isEmptyStruct(v.Elem) {
		each = jen.Range().Add(x)
	}
	return []jen.Code{
		to.Dot("Array").Call(),
		jen.For(each).Block(elem...),
		jen.Id("e").Dot("EndArray").Call(),
	}
}

// isEmptyStruct reports whether values of v are written without a look at them.
func isEmptyStruct(v *ir.EncValue) bool { return v.Kind == ir.EncStruct && len(v.Fields) == 0 }

// mapping writes the entries of a map in the order of their keys.
//
//	for _, k := range wire.SortedKeys(v.Parts) {
//		x := v.Parts[k]
//		encodePart(e.Key(string(k)), &x)
//	}
func (w *encoderWriter) mapping(to, x *jen.Statement, v *ir.EncValue) []jen.Code {
	k, entry := numbered("k", w.depth), numbered("x", w.depth)
	keys, key, text := jenutil.Wire("SortedKeys").Call(x.Clone()), jenutil.Ident(k), jen.String().Call(jenutil.Ident(k))
	if v.Keys != ir.KeyString {
		keys = jenutil.Wire("IntKeys").Call(x.Clone())
		key, text = jenutil.Ident(k).Dot("Key"), jenutil.Ident(k).Dot("Text")
	}
	if v.Keys == ir.KeyText {
		keys = jenutil.Wire("TextKeys").Call(jen.Id("e"), x.Clone())
	}
	w.depth++
	var body []jen.Code
	if !isEmptyStruct(v.Elem) {
		body = []jen.Code{jenutil.Ident(entry).Op(":=").Add(x.Clone()).Index(key)}
	}
	body = append(body, w.value(jen.Id("e").Dot("Key").Call(text), jenutil.Ident(entry), v.Elem)...)
	w.depth--
	return []jen.Code{
		to.Dot("Object").Call(),
		jen.For(jen.List(jen.Id("_"), jenutil.Ident(k)).Op(":=").Range().Add(keys)).Block(body...),
		jen.Id("e").Dot("EndObject").Call(),
	}
}

// object writes the members of a struct.
func (w *encoderWriter) object(to, x *jen.Statement, v *ir.EncValue, recursive bool) []jen.Code {
	begin := to.Dot("Object").Call()
	body := []jen.Code{begin}
	if recursive {
		body = []jen.Code{jen.If(jen.Op("!").Add(begin)).Block(jen.Return())}
	}
	for i := range v.Fields {
		body = append(body, w.member(x, &v.Fields[i])...)
	}
	return append(body, jen.Id("e").Dot("EndObject").Call())
}

// member writes one member, unless it is left out.
func (w *encoderWriter) member(v *jen.Statement, field *ir.EncField) []jen.Code {
	x := selected(v, field.GoName)
	to := jen.Id("e").Dot("Name").Call(jen.Lit(escapedName(field.Name)))
	var code []jen.Code
	if field.Value.Kind == ir.EncPointer && len(field.Omit) > 0 {
		code = w.behind(to, x, &field.Value)
	} else {
		code = w.value(to, x, &field.Value)
	}
	var ok *jen.Statement
	for _, selector := range field.Behind {
		ok = bothOf(ok, selected(v, selector).Op("!=").Nil())
	}
	for _, kind := range field.Omit {
		ok = bothOf(ok, keptCode(kind, x.Clone(), field))
	}
	if ok == nil {
		return code
	}
	return []jen.Code{jen.If(ok).Block(code...)}
}

// selected is what a path of fields leads to: v.Field, or v.Embedded.Field.
func selected(v *jen.Statement, path string) *jen.Statement {
	x := v.Clone()
	for name := range strings.SplitSeq(path, ".") {
		x = x.Dot(jenutil.Name(name))
	}
	return x
}

func bothOf(a, b *jen.Statement) *jen.Statement {
	if a == nil {
		return b
	}
	return a.Op("&&").Add(b)
}

// keptCode is the condition under which a member is written.
func keptCode(kind ir.OmitKind, x *jen.Statement, field *ir.EncField) *jen.Statement {
	switch kind {
	case ir.OmitNil:
		return x.Op("!=").Nil()
	case ir.OmitEmpty:
		return jen.Len(x).Op(">").Lit(0)
	case ir.OmitFalse:
		if field.Value.Plain {
			return x
		}
		return jen.Bool().Call(x)
	case ir.OmitZero:
		return x.Op("!=").Lit(0)
	case ir.OmitText:
		return x.Op("!=").Lit("")
	case ir.OmitStruct:
		return x.Op("!=").Parens(jenutil.GoType(field.Type).Values())
	case ir.OmitPointer:
		return x.Clone().Op("!=").Nil().Op("&&").Op("!").Add(x.Clone()).Dot("IsZero").Call()
	case ir.OmitMethod:
		return jen.Op("!").Add(x).Dot("IsZero").Call()
	}
	return jen.Op("!").Add(jenutil.Wire("IsZero").Call(jenutil.AddrOf(x)))
}

// escapedName is a name as it stands in JSON between quotes. Names hold neither control characters nor
// broken text, because encoding/json does not take them.
func escapedName(name string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
}
