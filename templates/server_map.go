package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
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
		return []jen.Code{snip.Wire("Clear").Call(snip.AddrOf(x.Clone())), eachEntry(x, v, depth)}
	}
	return []jen.Code{x.Clone().Op("=").Add(snip.GoType(v.Type)).Values(), eachEntry(x, v, depth)}
}

func eachEntry(x *jen.Statement, v *ir.ArgValue, depth int) jen.Code {
	key := snip.Ident(numbered("name", depth))
	var read []jen.Code
	if code := scalarCode(v.Elem); code != nil && v.Elem.Checks == nil {
		read = []jen.Code{x.Clone().Index(key.Clone()).Op("=").Add(code)}
	} else {
		read = append(entryCode(x, v.Elem, depth), x.Clone().Index(key.Clone()).Op("=").Add(snip.Ident(elemName(depth))))
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
	e := snip.Ident(elemName(depth))
	return append([]jen.Code{e.Clone().Op(":=").Add(snip.Wire("ZeroOf").Call(x.Clone()))}, decodeValue(e, v, depth+1)...)
}

// nameCode is the name of the current member as a key of the map x: string(d.Name()).
func nameCode(x *jen.Statement, v *ir.ArgValue) jen.Code {
	if v.Keys.Type == nil {
		return snip.Wire("StringKey").Call(jen.Id("d"), x.Clone())
	}
	return snip.GoType(v.Keys.Type).Call(jen.Id("d").Dot("Name").Call())
}

// keyCode reads the name of the current member as a key of the map x, which it may not be.
//
//	wire.IntKey(d, v.Years)
func keyCode(x *jen.Statement, v *ir.ArgValue) jen.Code {
	args := []jen.Code{jen.Id("d"), x.Clone()}
	switch v.Keys.Kind {
	case ir.KeyInt:
		for _, value := range v.Keys.Values {
			args = append(args, snip.Number(value))
		}
		return snip.Wire("IntKey").Call(args...)
	case ir.KeyText:
		return snip.Wire("TextKey").Call(args...)
	}
	return snip.Wire("EnumKey").Call(append(args, snip.Strings(v.Keys.Values)...)...)
}
