package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitComplete writes the function that proposes values for a variable.
//
//	func completeTicketNumber(
//		impl *NotesImpl, c *mcprt.Call, prefix string, given mcprt.CompletionContext,
//	) ([]string, error) {
//		return impl.Tickets.CompleteNumber(c, prefix, given["project"])
//	}
func emitComplete(f *serverFile, s *ir.Server, r *ir.Resource, c ir.Completer) {
	args := givenArgs{r: r, prefix: "_", given: "_"}
	for _, p := range c.Callee.Params {
		args.add(f, p)
	}
	body := args.decode()
	body = append(body, jen.Return(callOf(c.Callee, args.list...)))
	f.handler(s, calls(c.Callee), c.Name,
		callParam(),
		jenutil.Ident(args.prefix).String(),
		jenutil.Ident(args.given).Add(jenutil.RT("CompletionContext"))).
		Params(jen.Index().String(), jen.Error()).
		Block(body...)
}

// givenArgs collects the arguments of a completer.
type givenArgs struct {
	r             *ir.Resource
	prefix, given string
	list          []jen.Code
	names         []jen.Code // of earlier variables that are not plain text
	values        []jen.Code // statements that read them
}

// add adds an argument.
func (a *givenArgs) add(f *serverFile, p ir.Param) {
	switch p.Kind {
	case ir.ParamPrefix:
		a.prefix = "prefix"
		a.list = append(a.list, jen.Id("prefix"))
	case ir.ParamGiven:
		a.given = "given"
		a.list = append(a.list, a.earlier(a.r.Vars[p.Var], f.localNames(a.r)[p.Var]))
	default:
		a.list = append(a.list, specialArg(p))
	}
}

// earlier is the value of an earlier variable: text as it stands, other types decoded.
func (a *givenArgs) earlier(v *ir.Var, name string) jen.Code {
	text := jen.Id("given").Index(jen.Lit(v.Name))
	if v.Kind == ir.VarString && !v.Pointer {
		return from(v.Type, "string", text)
	}
	i := len(a.names)
	a.names = append(a.names, jen.Lit(v.Name))
	a.values = append(a.values, givenValue(v, i, name)...)
	return jenutil.Ident(name)
}

// givenValue reads an earlier variable at place i.
//
//	year := mcprt.VarInt[int](v, 0, "year")
func givenValue(v *ir.Var, i int, name string) []jen.Code {
	declare := jen.Var().Add(jenutil.Ident(name)).Add(jenutil.GoType(paramType(v)))
	switch {
	case v.Kind == ir.VarSlice:
		return append([]jen.Code{declare}, decodeList(v, i, jenutil.Ident(name))...)
	case v.Pointer:
		set := jenutil.Ident(name).Op("=").Add(jen.New(valueCode(v, i)))
		return []jen.Code{declare, jen.If(has(i)).Block(set)}
	}
	return []jen.Code{jenutil.Ident(name).Op(":=").Add(valueCode(v, i))}
}

// decode reads the earlier variables that are not plain text. A value of the wrong form is an error.
//
//	v := given.Vars("year")
//	year := mcprt.VarInt[int](v, 0, "year")
//	if err := v.Err(); err != nil {
//		return nil, err
//	}
func (a *givenArgs) decode() []jen.Code {
	if len(a.names) == 0 {
		return nil
	}
	out := []jen.Code{jen.Id("v").Op(":=").Id("given").Dot("Vars").Call(a.names...)}
	out = append(out, a.values...)
	check := jen.Err().Op(":=").Id("v").Dot("Err").Call()
	return append(out, jen.If(check, jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
}
