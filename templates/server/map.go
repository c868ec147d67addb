package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// decodeMap reads an object whose member names are data.
//
//	v.Labels = map[string]string{}
//	for d.Object(); d.Next(); {
//		name := string(d.Name())
//		v.Labels[name] = d.String()
//	}
func decodeMap(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	if v.Hidden {
		return []jen.Code{jenutil.Wire("Clear").Call(jenutil.AddrOf(x.Clone())), eachEntry(x, v, depth)}
	}
	return []jen.Code{x.Clone().Op("=").Add(jenutil.GoType(v.Type)).Values(), eachEntry(x, v, depth)}
}

func eachEntry(x *jen.Statement, v *ir.ArgValue, depth int) jen.Code {
	key := jenutil.Ident(numbered("name", depth))
	var read []jen.Code
	if code := scalarCode(v.Elem); code != nil && v.Elem.Checks == nil {
		read = []jen.Code{x.Clone().Index(key.Clone()).Op("=").Add(code)}
	} else {
		read = append(entryCode(x, v.Elem, depth), x.Clone().Index(key.Clone()).Op("=").Add(jenutil.Ident(elemName(depth))))
	}
	if v.Keys.Kind == ir.KeyString && v.Keys.Values == nil {
		return eachMember(append([]jen.Code{key.Clone().Op(":=").Add(nameCode(x, v))}, read...)...)
	}
	take := jen.List(key.Clone(), jen.Id("ok")).Op(":=").Add(keyCode(x, v))
	return eachMember(jen.If(take, jen.Id("ok")).Block(read...))
}

// entryCode is elemCode for a value of the map x.
//
//	e := wire.ZeroOf(v.Parts)
func entryCode(x *jen.Statement, v *ir.ArgValue, depth int) []jen.Code {
	if !unwritten(v) {
		return elemCode(v, depth)
	}
	e := jenutil.Ident(elemName(depth))
	zero := e.Clone().Op(":=").Add(jenutil.Wire("ZeroOf").Call(x.Clone()))
	return append([]jen.Code{zero}, decodeValue(e, v, depth+1)...)
}

// nameCode is the name of the current member as a key of the map x: string(d.Name()).
func nameCode(x *jen.Statement, v *ir.ArgValue) jen.Code {
	if v.Keys.Type == nil {
		return jenutil.Wire("StringKey").Call(jen.Id("d"), x.Clone())
	}
	return jenutil.GoType(v.Keys.Type).Call(jen.Id("d").Dot("Name").Call())
}

// keyCode reads the name of the current member as a key of the map x, which it may not be.
//
//	wire.IntKey(d, v.Years)
func keyCode(x *jen.Statement, v *ir.ArgValue) jen.Code {
	args := []jen.Code{jen.Id("d"), x.Clone()}
	switch v.Keys.Kind {
	case ir.KeyInt:
		return jenutil.Wire("IntKey").Call(append(args, jenutil.Numbers(v.Keys.Values)...)...)
	case ir.KeyText:
		return textKeyCode(v, args)
	}
	return jenutil.Wire("EnumKey").Call(append(args, jenutil.Strings(v.Keys.Values)...)...)
}

// textKeyCode reads a key with a method, whose text or whose value may be limited.
//
//	wire.TextKey(d, v.Hosts)
//	wire.EnumTextKey(d, v.ByLevel, "low", "high")
//	wire.LateTextKey(d, v.ByColour, 0, 255)
func textKeyCode(v *ir.ArgValue, args []jen.Code) jen.Code {
	switch {
	case v.Keys.Values == nil:
		return jenutil.Wire("TextKey").Call(args...)
	case !v.Keys.Late:
		return jenutil.Wire("EnumTextKey").Call(append(args, jenutil.Strings(v.Keys.Values)...)...)
	}
	return jenutil.Wire("LateTextKey").Call(append(args, jenutil.Numbers(v.Keys.Values)...)...)
}
