package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// decodeValue writes the statements that read the next value into x. depth is the number of loops
// around them.
func decodeValue(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	switch v.Kind {
	case ir.ArgStruct_:
		return []jen.Code{snip.Ident(v.Struct.Decode).Call(jen.Id("d"), snip.AddrOf(x))}
	case ir.ArgJSON:
		return append([]jen.Code{jen.Id("d").Dot("JSON").Call(snip.AddrOf(x))}, checksOf(x, v)...)
	case ir.ArgPointer:
		return decodePtr(x, v, depth)
	case ir.ArgSlice:
		return decodeSlice(x, v, depth)
	case ir.ArgMap:
		return decodeMap(x, v, depth)
	}
	return append([]jen.Code{x.Clone().Op("=").Add(scalarCode(v))}, checksOf(x, v)...)
}

// scalarCode reads a value that needs one expression; nil if v needs more.
func scalarCode(v *ir.ArgValue) *jen.Statement {
	method := func(name string) *jen.Statement { return jen.Id("d").Dot(snip.Name(name)).Call() }
	switch v.Kind {
	case ir.ArgString:
		return from(v.Type, "string", method("String"))
	case ir.ArgBool:
		return from(v.Type, "bool", method("Bool"))
	case ir.ArgInt:
		return snip.Wire("Int").Types(snip.GoType(v.Type)).Call(jen.Id("d"))
	case ir.ArgFloat:
		return snip.Wire("Float").Types(snip.GoType(v.Type)).Call(jen.Id("d"))
	case ir.ArgEnum:
		args := append([]jen.Code{jen.Id("d")}, snip.Strings(v.Values)...)
		return snip.Wire("Enum").Types(snip.GoType(v.Type)).Call(args...)
	case ir.ArgRaw:
		return method("RawCopy")
	case ir.ArgTime:
		return snip.Wire("Time").Call(jen.Id("d"))
	case ir.ArgText:
		return snip.Wire("Text").Types(snip.GoType(v.Type)).Call(jen.Id("d"))
	}
	return nil
}

// decodePtr reads a value into memory of its own.
//
//	v.Limit = new(wire.Int[int](d))
func decodePtr(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	if code := scalarCode(v.Elem); code != nil {
		return append([]jen.Code{x.Clone().Op("=").Add(newOf(code))}, checksOf(snip.Deref(x.Clone()), v.Elem)...)
	}
	body := []jen.Code{x.Clone().Op("=").Add(newOf(snip.GoType(v.Elem.Type)))}
	if v.Elem.Kind == ir.ArgStruct_ {
		body = append(body, snip.Ident(v.Elem.Struct.Decode).Call(jen.Id("d"), x.Clone()))
	} else {
		body = append(body, decodeValue(jen.Parens(snip.Deref(x.Clone())), v.Elem, depth)...)
	}
	return body
}

// decodeSlice reads an array. An empty one is not nil.
//
//	v.Tags = make([]string, 0, d.Elements())
//	for d.Array(); d.More(); {
//		v.Tags = append(v.Tags, d.String())
//	}
func decodeSlice(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	read := []jen.Code{x.Clone().Op("=").Add(emptySlice(v)), eachElement(x, v, depth)}
	return append(read, checksOf(x, v)...)
}

// emptySlice makes room for the elements of the array that comes next.
func emptySlice(v *ir.ArgValue) jen.Code {
	return jen.Make(snip.GoType(v.Type), jen.Lit(0), jen.Id("d").Dot("Elements").Call())
}

func eachElement(x *jen.Statement, v *ir.ArgValue, depth int) jen.Code {
	add := func(elem jen.Code) jen.Code { return x.Clone().Op("=").Append(x.Clone(), elem) }
	var body []jen.Code
	if code := scalarCode(v.Elem); code != nil && v.Elem.Checks == nil {
		body = []jen.Code{add(code)}
	} else {
		body = append(elemCode(v.Elem, depth), add(snip.Ident(elemName(depth))))
	}
	return jen.For(jen.Id("d").Dot("Array").Call(), jen.Id("d").Dot("More").Call(), jen.Empty()).Block(body...)
}

// decodeMap reads an object whose member names are data.
//
//	v.Labels = map[string]string{}
//	for d.Object(); d.Next(); {
//		name := string(d.Name())
//		v.Labels[name] = d.String()
//	}
func decodeMap(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	return []jen.Code{x.Clone().Op("=").Add(snip.GoType(v.Type)).Values(), eachEntry(x, v, depth)}
}

func eachEntry(x *jen.Statement, v *ir.ArgValue, depth int) jen.Code {
	key := numbered("name", depth)
	body := []jen.Code{snip.Ident(key).Op(":=").Add(keyCode(v.Type))}
	if code := scalarCode(v.Elem); code != nil && v.Elem.Checks == nil {
		body = append(body, x.Clone().Index(snip.Ident(key)).Op("=").Add(code))
	} else {
		body = append(body, elemCode(v.Elem, depth)...)
		body = append(body, x.Clone().Index(snip.Ident(key)).Op("=").Add(snip.Ident(elemName(depth))))
	}
	return eachMember(body...)
}

// keyCode is the name of the current member as a key of a map of type t.
func keyCode(t *ir.GoType) jen.Code {
	name := jen.Id("d").Dot("Name").Call()
	if t.Kind == ir.GoMap && t.Key != nil {
		return snip.GoType(t.Key).Call(name)
	}
	return jen.String().Call(name)
}

// elemCode declares an element and reads it.
//
//	var e Match
//	decodeMatch(d, &e)
func elemCode(v *ir.ArgValue, depth int) []jen.Code {
	e := snip.Ident(elemName(depth))
	switch v.Kind {
	case ir.ArgSlice:
		return []jen.Code{e.Clone().Op(":=").Add(emptySlice(v)), eachElement(e, v, depth+1)}
	case ir.ArgMap:
		return []jen.Code{e.Clone().Op(":=").Add(snip.GoType(v.Type)).Values(), eachEntry(e, v, depth+1)}
	}
	if code := scalarCode(v); code != nil {
		return append([]jen.Code{e.Clone().Op(":=").Add(code)}, checksOf(e, v)...)
	}
	declare := jen.Var().Add(e.Clone()).Add(snip.GoType(v.Type))
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
