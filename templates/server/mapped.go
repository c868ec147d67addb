package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// mappedCode reads a value of a type that a function of the user makes.
//
//	wire.Mapped(d, wire.Str[string], parseURL, "must be a valid uri")
func mappedCode(v *ir.ArgValue) *jen.Statement {
	base := map[ir.ArgKind]string{ir.ArgString: "string", ir.ArgInt: "int64", ir.ArgFloat: "float64",
		ir.ArgBool: "bool"}[v.Base]
	read := readerCode(&ir.ArgValue{Kind: v.Base, Type: &ir.GoType{Kind: ir.GoNamed, Name: base}})
	return jenutil.Wire("Mapped").Call(jen.Id("d"), read, jenutil.Ident(v.Parse), jen.Lit(v.Refusal))
}

// mappedEnc writes what a function of the user makes of x.
//
//	e.Name("page").String(formatURL(v.Page))
//	wire.Written(e.Name("page"), (*wire.Encoder).String, formatURL, v.Page)
func mappedEnc(to, x *jen.Statement, v *ir.EncValue) jen.Code {
	method := map[ir.EncKind]string{ir.EncString: "String", ir.EncInt: "Int", ir.EncFloat: "Float",
		ir.EncBool: "Bool"}[v.Base]
	if !v.Fails {
		return to.Dot(jenutil.Name(method)).Call(jenutil.Ident(v.Format).Call(x))
	}
	write := jen.Parens(jenutil.PtrTo(jenutil.Wire("Encoder"))).Dot(jenutil.Name(method))
	return jenutil.Wire("Written").Call(to, write, jenutil.Ident(v.Format), x)
}
