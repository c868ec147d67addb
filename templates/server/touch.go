package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// touchCode runs a tool and then tells who has subscribed to what it changed. It returns what becomes of
// the result.
//
//	out, err := h.impl.Tickets.Close(c, in)
//	if err == nil {
//		c.ResourceUpdated(TicketURI(in.Project, in.Number))
//	}
func touchCode(t *ir.Tool, call jen.Code) (body, result []jen.Code) {
	ok := jen.Err().Op("==").Nil()
	if t.Result == ir.ToolDone {
		body = append(body, jen.Err().Op(":=").Add(call))
		result = []jen.Code{jen.Err()}
	} else {
		body = append(body, jen.List(jen.Id("out"), jen.Err()).Op(":=").Add(call))
		result = []jen.Code{jen.Id("out"), jen.Err()}
	}
	switch {
	case t.Result == ir.ToolRaw:
		ok = ok.Op("&&").Op("!").Id("out").Dot("IsError")
	case t.OutPointer:
		ok = ok.Op("&&").Id("out").Op("!=").Nil()
	}
	var tell []jen.Code
	for _, touch := range t.Touches {
		tell = append(tell, touchedURIs(touch)...)
	}
	return append(body, jen.If(ok).Block(tell...)), result
}

// touchedURIs tells the subscribers of one resource, under each of its addresses.
func touchedURIs(touch ir.Touch) []jen.Code {
	r := touch.Resource
	var args []jen.Code
	for i, a := range touch.Args {
		args = append(args, touchArg(r.Vars[i], a))
	}
	updated := func(uri jen.Code) jen.Code { return jen.Id("c").Dot("ResourceUpdated").Call(uri) }
	out := []jen.Code{updated(aliasURI(r, r, args))}
	for _, a := range r.Aliases {
		if a.AliasOf != nil {
			continue // has the same topics
		}
		out = append(out, updated(aliasURI(a, r, args)))
	}
	return out
}

// touchArg is the value of a variable: a field, or what stands for its absence.
func touchArg(v *ir.Var, a ir.TouchArg) jen.Code {
	switch {
	case a.From == "" && (v.Pointer || v.Kind == ir.VarSlice):
		return jen.Nil()
	case a.From == "" && v.Kind == ir.VarTime:
		return jen.Qual("time", "Time").Values()
	case a.From == "":
		return valueLit(v, v.Default)
	}
	field := fieldPath(a.From, a.Field)
	if a.Convert {
		return jenutil.GoType(v.Type).Call(field)
	}
	return field
}
