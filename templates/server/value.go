package server

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// decodeValue writes the statements that read the next value into x, which has an address. depth is the number of loops
// and objects around them.
func decodeValue(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	var code []jen.Code
	switch v.Kind {
	case ir.ArgStruct_:
		code = []jen.Code{jenutil.Ident(v.Struct.Decode).Call(jen.Id("d"), jenutil.AddrOf(x.Clone()))}
	case ir.ArgObject:
		code = membersCode(x, v.Fields, depth+1)
	case ir.ArgJSON:
		code = []jen.Code{jen.Id("d").Dot("JSON").Call(jenutil.AddrOf(x.Clone()))}
	case ir.ArgPointer:
		return decodePtr(x, v, depth)
	case ir.ArgSlice:
		code = decodeSlice(x, v, depth)
	case ir.ArgArray:
		code = decodeArray(x, v, depth)
	case ir.ArgMap:
		code = decodeMap(x, v, depth)
	default:
		code = []jen.Code{scalarInto(x, v)}
	}
	return append(code, checksOf(x, v)...)
}

// decodeAt is decodeValue for the place that p points to.
func decodeAt(p *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	var code []jen.Code
	switch {
	case v.Kind == ir.ArgStruct_:
		code = []jen.Code{jenutil.Ident(v.Struct.Decode).Call(jen.Id("d"), p.Clone())}
	case v.Kind == ir.ArgObject:
		code = membersCode(p, v.Fields, depth+1)
	case v.Hidden && isScalar(v):
		code = []jen.Code{hiddenScalar(p.Clone(), v)}
	default:
		return decodeValue(jen.Parens(jenutil.Deref(p.Clone())), v, depth)
	}
	return append(code, checksOf(jen.Parens(jenutil.Deref(p.Clone())), v)...)
}

// scalarInto is x = d.String(), or wire.Into(d, &x, wire.Str) for a type that has no name here.
func scalarInto(x *jen.Statement, v *ir.ArgValue) jen.Code {
	if v.Hidden && v.Kind != ir.ArgMapped {
		return hiddenScalar(jenutil.AddrOf(x.Clone()), v)
	}
	return x.Clone().Op("=").Add(scalarCode(v))
}

func hiddenScalar(p jen.Code, v *ir.ArgValue) jen.Code {
	args := []jen.Code{jen.Id("d"), p}
	switch {
	case v.Quoted:
		return jenutil.Wire("QuotedInto").Call(append(append(args, readerCode(v)), jenutil.Strings(v.Texts)...)...)
	case v.Kind == ir.ArgEnum:
		return jenutil.Wire("EnumInto").Call(append(args, jenutil.Strings(v.Values)...)...)
	case v.Kind == ir.ArgText && v.Values != nil:
		return jenutil.Wire("EnumTextInto").Call(append(args, jenutil.Strings(v.Values)...)...)
	}
	return jenutil.Wire("Into").Call(append(args, readerCode(v))...)
}

// readerCode is the function that reads a value: wire.Int[Level], or wire.Int for Go to infer the type.
func readerCode(v *ir.ArgValue) jen.Code {
	var f *jen.Statement
	switch v.Kind {
	case ir.ArgString:
		f = jenutil.Wire("Str")
	case ir.ArgBool:
		f = jenutil.Wire("Boolean")
	case ir.ArgInt:
		f = jenutil.Wire("Int")
		if v.Quoted {
			f = jenutil.Wire("Digits")
		}
	case ir.ArgFloat:
		f = jenutil.Wire("Float")
	case ir.ArgBytes:
		f = jenutil.Wire("Base64")
	case ir.ArgText:
		f = jenutil.Wire("Text")
	default:
		return jenutil.Wire("Number")
	}
	if v.Hidden {
		return f
	}
	return f.Types(jenutil.GoType(v.Type))
}

// scalarCode reads a value that needs one expression; nil if v needs more.
func scalarCode(v *ir.ArgValue) *jen.Statement {
	if v.Kind == ir.ArgMapped {
		return mappedCode(v)
	}
	if v.Hidden || !isScalar(v) {
		return nil
	}
	if v.Quoted {
		return jenutil.Wire("Quoted").Call(append([]jen.Code{jen.Id("d"), readerCode(v)}, jenutil.Strings(v.Texts)...)...)
	}
	method := func(name string) *jen.Statement { return jen.Id("d").Dot(jenutil.Name(name)).Call() }
	of := func(name string, values ...string) *jen.Statement {
		return jenutil.Wire(name).Types(jenutil.GoType(v.Type)).
			Call(append([]jen.Code{jen.Id("d")}, jenutil.Strings(values)...)...)
	}
	switch v.Kind {
	case ir.ArgString:
		return from(v.Type, "string", method("String"))
	case ir.ArgBool:
		return from(v.Type, "bool", method("Bool"))
	case ir.ArgInt:
		return of("Int")
	case ir.ArgFloat:
		return of("Float")
	case ir.ArgEnum:
		return of("Enum", v.Values...)
	case ir.ArgRaw:
		return method("RawCopy")
	case ir.ArgNumber:
		return jenutil.Wire("Number").Call(jen.Id("d"))
	case ir.ArgBytes:
		if t := v.Type; t.Kind == ir.GoSlice && (isBasic(t.Elem, "byte") || isBasic(t.Elem, "uint8")) {
			return method("Base64")
		}
		return of("Base64")
	case ir.ArgTime:
		return jenutil.Wire("Time").Call(jen.Id("d"))
	}
	if v.Values != nil {
		return of("EnumText", v.Values...)
	}
	return of("Text")
}

// unwritten reports whether values of v can only be declared by inference, or are better filled in place.
func unwritten(v *ir.ArgValue) bool { return v.Hidden || v.Kind == ir.ArgObject }

// decodePtr reads a value into memory of its own.
//
//	v.Limit = new(wire.Int[int](d))
func decodePtr(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	if code := scalarCode(v.Elem); code != nil {
		return append([]jen.Code{x.Clone().Op("=").Add(jen.New(code))}, checksOf(jenutil.Deref(x.Clone()), v.Elem)...)
	}
	if unwritten(v.Elem) {
		return append([]jen.Code{jenutil.Wire("New").Call(jenutil.AddrOf(x.Clone()))}, decodeAt(x, v.Elem, depth)...)
	}
	return append([]jen.Code{x.Clone().Op("=").Add(jen.New(jenutil.GoType(v.Elem.Type)))}, decodeAt(x, v.Elem, depth)...)
}

// decodeSlice reads an array. An empty one is not nil.
//
//	v.Tags = make([]string, 0, d.Elements())
//	for d.Array(); d.More(); {
//		v.Tags = append(v.Tags, d.String())
//	}
func decodeSlice(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	if v.Hidden {
		return []jen.Code{jenutil.Wire("Room").Call(jen.Id("d"), jenutil.AddrOf(x.Clone())), eachElement(x, v, depth)}
	}
	return []jen.Code{x.Clone().Op("=").Add(emptySlice(v)), eachElement(x, v, depth)}
}

// emptySlice makes room for the elements of the array that comes next.
func emptySlice(v *ir.ArgValue) jen.Code {
	return jen.Make(jenutil.GoType(v.Type), jen.Lit(0), jen.Id("d").Dot("Elements").Call())
}

func eachElement(x *jen.Statement, v *ir.ArgValue, depth int) jen.Code {
	add := func(elem jen.Code) jen.Code { return x.Clone().Op("=").Append(x.Clone(), elem) }
	e := jenutil.Ident(elemName(depth))
	var body []jen.Code
	switch code := scalarCode(v.Elem); {
	case code != nil && v.Elem.Checks == nil:
		body = []jen.Code{add(code)}
	case v.Elem.Kind == ir.ArgObject && len(v.Elem.Fields) == 0: // nothing of it is named
		body = append([]jen.Code{jenutil.Wire("Grow").Call(jenutil.AddrOf(x.Clone()))}, decodeAt(e, v.Elem, depth+1)...)
	case unwritten(v.Elem):
		grow := jenutil.Wire("Grow").Call(jenutil.AddrOf(x.Clone()))
		body = append([]jen.Code{e.Clone().Op(":=").Add(grow)}, decodeAt(e, v.Elem, depth+1)...)
	default:
		body = append(elemCode(v.Elem, depth), add(e))
	}
	return jen.For(jen.Id("d").Dot("Array").Call(), jen.Id("d").Dot("More").Call(), jen.Empty()).Block(body...)
}

// decodeArray reads an array of a fixed length.
//
//	n := 0
//	for d.Array(); d.More(); n++ {
//		if n < len(v.Pair) {
//			v.Pair[n] = wire.Int[int](d)
//		}
//	}
//	d.Must(n == 2, "must have exactly 2 elements")
func decodeArray(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	n := jenutil.Ident(numbered("n", depth))
	read := decodeValue(x.Clone().Index(n.Clone()), v.Elem, depth+1)
	loop := jen.For(jen.Id("d").Dot("Array").Call(), jen.Id("d").Dot("More").Call(), n.Clone().Op("++")).
		Block(jen.If(n.Clone().Op("<").Len(x.Clone())).Block(read...))
	length := strconv.FormatInt(v.Len, 10)
	return []jen.Code{
		n.Clone().Op(":=").Lit(0), loop,
		must(n.Clone().Op("==").Add(jenutil.Number(length)), "must have exactly "+quantity(length, "element")),
	}
}

// elemCode declares an element and reads it.
//
//	var e Match
//	decodeMatch(d, &e)
func elemCode(v *ir.ArgValue, depth int) []jen.Code {
	e := jenutil.Ident(elemName(depth))
	switch v.Kind {
	case ir.ArgSlice:
		return []jen.Code{e.Clone().Op(":=").Add(emptySlice(v)), eachElement(e, v, depth+1)}
	case ir.ArgMap:
		return []jen.Code{e.Clone().Op(":=").Add(jenutil.GoType(v.Type)).Values(), eachEntry(e, v, depth+1)}
	}
	if code := scalarCode(v); code != nil {
		return append([]jen.Code{e.Clone().Op(":=").Add(code)}, checksOf(e, v)...)
	}
	declare := jen.Var().Add(e.Clone()).Add(jenutil.GoType(v.Type))
	return append([]jen.Code{declare}, decodeValue(e, v, depth+1)...)
}

func elemName(depth int) string { return numbered("e", depth) }

// numbered is name, or name2, name3 and so on inside of loops.
func numbered(name string, depth int) string {
	if depth == 0 {
		return name
	}
	return name + strconv.Itoa(depth+1)
}
