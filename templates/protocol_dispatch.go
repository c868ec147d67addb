package templates

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitReplies declares what handlers may return, one interface for each request.
//
//	// ReadResourceReply answers resources/read: *ReadResourceResult or Prepared.
//	type ReadResourceReply interface {
//		AppendJSON(b []byte, rev Revision) []byte
//		readResourceReply()
//	}
func emitReplies(f *protocolFile) {
	f.doc("Prepared is an encoded result. It answers any request, as it stands, in every revision.")
	f.Type().Id("Prepared").Index().Byte()
	f.Line()
	f.doc("AppendJSON appends the result.")
	f.Func().Params(jen.Id("p").Id("Prepared")).Id("AppendJSON").
		Params(jen.Id("b").Index().Byte(), jen.Id("_").Id("Revision")).Index().Byte().
		Block(jen.Return(jen.Append(jen.Id("b"), jen.Id("p").Op("..."))))
	f.Line()
	for _, m := range clientMethods(f.p, false) {
		f.doc(m.Reply + " answers " + m.Name + ". It is " + strings.Join(pointers(m.Results), ", ") + " or Prepared.")
		f.Type().Id(m.Reply).Interface(appendMethod(), jen.Id(m.Marker).Params())
		f.Line()
		for _, r := range m.Results {
			f.Func().Params(snip.Ptr(r)).Id(m.Marker).Params().Block()
		}
		f.Func().Params(jen.Id("Prepared")).Id(m.Marker).Params().Block()
		f.Line()
	}
}

func pointers(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, "*"+s)
	}
	return out
}

// emitDispatch writes the handler interface and the only switch over request methods.
func emitDispatch(f *protocolFile) {
	methods := clientMethods(f.p, false)
	f.doc("ServerHandler answers the requests that clients send, of all revisions. Params are never nil and belong to " +
		"the handler, except their Meta, which must not be changed. A nil reply without an error is an empty result. An error that is a [wire.Error] is sent as it is.")
	f.Type().Id("ServerHandler").InterfaceFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Add(snip.Doc(m.Go+" answers "+m.Name+". "+m.Note, 4))
			g.Id(m.Go).Params(snip.CtxParam(), jen.Id("p").Add(paramsType(m))).Params(jen.Id(m.Reply), jen.Error())
		}
	})
	f.Line()
	f.doc("Dispatch reads params, calls the method of h and appends the encoded reply to b. The Decoder is not used any " +
		"more when h is called. It returns b as it was and an error if the revision does not have the method (a [wire.Error] with code -32601), " +
		"if the params do not decode (-32602, its message has the JSON pointer of the mistake), or what h returned.")
	method, b := jen.Id("method").Index().Byte(), jen.Id("b").Index().Byte()
	f.Func().Id("Dispatch").
		Params(snip.CtxParam(), jen.Id("h").Id("ServerHandler"), jen.Id("rev").Id("Revision"), method, params(), b).
		Params(jen.Index().Byte(), jen.Error()).
		Block(
			jen.Switch(jen.String().Call(jen.Id("method"))).BlockFunc(func(g *jen.Group) {
				for _, m := range methods {
					dispatchCase(g, f.p, m)
				}
			}),
			jen.Return(jen.Id("b"), jen.Id("noMethod").Call()),
		)
	f.Line()
	emitInvoke(f, methods)
}

func paramsType(m *ir.Method) *jen.Statement {
	if m.Union {
		return jen.Id(m.Params)
	}
	return snip.Ptr(m.Params)
}

// dispatchCase calls one method of the handler.
//
//	case MethodInitialize:
//		if rev <= Revision20251125 {
//			return invoke(ctx, rev, params, b, h.Initialize)
//		}
func dispatchCase(g *jen.Group, p *ir.Protocol, m *ir.Method) {
	function, args := "invoke", []jen.Code{jen.Id("ctx"), jen.Id("rev"), jen.Id("params"), jen.Id("b")}
	if m.Union {
		function, args = "invokeUnion", append(args, jen.Id("Decode"+m.Params))
	}
	call := jen.Return(jen.Id(function).Call(append(args, jen.Id("h").Dot(m.Go))...))
	if cond := revIn(p, m.ClientRevs, p.All()); cond != nil {
		g.Case(jen.Id(m.Const)).Block(jen.If(cond).Block(call))
		return
	}
	g.Case(jen.Id(m.Const)).Block(call)
}

// params returns the Decoder as a parameter. It comes from the caller, who can use one for all messages: made here it
// would be an allocation for each.
func params() *jen.Statement { return jen.Id("params").Add(snip.Decoder()) }

// emitInvoke writes what all cases of Dispatch share.
func emitInvoke(f *protocolFile, methods []*ir.Method) {
	f.doc("reply is what all replies have in common.")
	f.Type().Id("reply").Interface(appendMethod())
	f.Line()
	if slices.ContainsFunc(methods, func(m *ir.Method) bool { return !m.Union }) {
		emitInvokeStruct(f)
	}
	if slices.ContainsFunc(methods, func(m *ir.Method) bool { return m.Union }) {
		emitInvokeUnion(f)
	}
	emitInvalidParams(f)
	f.doc("noMethod returns the error for a method that the revision does not have.")
	f.Func().Id("noMethod").Params().Error().Block(
		jen.Return(snip.Wire("NewError").Call(snip.Wire("CodeMethodNotFound"), jen.Lit("method not found"))),
	)
}

// invokeParams returns the parameters that invoke and invokeUnion begin with.
//
//	ctx context.Context, rev Revision, params *wire.Decoder, b []byte
func invokeParams() *jen.Statement {
	return jen.List(snip.CtxParam(), jen.Id("rev").Id("Revision"), params(), jen.Id("b").Index().Byte())
}

// handlerParam returns a method of the handler as a parameter.
//
//	call func(context.Context, P) (R, error)
func handlerParam() *jen.Statement {
	return jen.Id("call").Func().
		Params(jen.Qual("context", "Context"), jen.Id("P")).
		Params(jen.Id("R"), jen.Error())
}

// structParam returns the type parameters of a struct T and its pointer P.
func structParam() *jen.Statement {
	decodable := snip.Wire("Decodable").Index(jen.List(jen.Id("T"), jen.Id("Revision")))
	return jen.List(jen.Id("T").Any(), jen.Id("P").Add(decodable))
}

// emitInvokeStruct writes invoke for params that are a struct.
func emitInvokeStruct(f *protocolFile) {
	f.doc("invoke decodes params into a struct, calls a method of the handler and appends its reply.")
	f.Func().Id("invoke").
		Types(structParam(), jen.Id("R").Id("reply")).
		Params(invokeParams(), handlerParam()).
		Params(jen.Index().Byte(), jen.Error()).
		BlockFunc(func(g *jen.Group) {
			g.Id("p").Op(":=").Id("P").Call(jen.New(jen.Id("T")))
			g.Id("p").Dot("DecodeJSON").Call(jen.Id("params"), jen.Id("rev"))
			g.Add(ifInvalid(jen.Id("b")))
			callAndAppend(g, f.p)
		})
	f.Line()
}

// emitInvokeUnion writes invoke for params that are a union.
func emitInvokeUnion(f *protocolFile) {
	f.doc("invokeUnion is invoke for params that are one of several structs.")
	f.Func().Id("invokeUnion").
		Types(jen.Id("P").Any(), jen.Id("R").Id("reply")).
		Params(invokeParams(), decodeParam(), handlerParam()).
		Params(jen.Index().Byte(), jen.Error()).
		BlockFunc(func(g *jen.Group) {
			g.Id("p").Op(":=").Id("decode").Call(jen.Id("params"), jen.Id("rev"))
			g.Add(ifInvalid(jen.Id("b")))
			callAndAppend(g, f.p)
		})
	f.Line()
}

// decodeParam returns the decoder of a union as a parameter.
//
//	decode func(*wire.Decoder, Revision) P
func decodeParam() *jen.Statement {
	return jen.Id("decode").Func().Params(snip.Decoder(), jen.Id("Revision")).Id("P")
}

// callAndAppend calls the handler with p and appends what it returns.
//
//	r, err := call(ctx, p)
//	if err != nil {
//		return b, err
//	}
//	if any(r) == nil {
//		return new(Result).AppendJSON(b, rev), nil
//	}
//	return r.AppendJSON(b, rev), nil
func callAndAppend(g *jen.Group, p *ir.Protocol) {
	appendTo := func(v *jen.Statement) *jen.Statement {
		return v.Dot("AppendJSON").Call(jen.Id("b"), jen.Id("rev"))
	}
	empty := jen.New(jen.Id(p.EmptyResult))
	g.List(jen.Id("r"), jen.Err()).Op(":=").Id("call").Call(jen.Id("ctx"), jen.Id("p"))
	g.Add(snip.IfErr(jen.Id("b"), jen.Err()))
	g.If(jen.Any().Call(jen.Id("r")).Op("==").Nil()).Block(jen.Return(appendTo(empty), jen.Nil()))
	g.Return(appendTo(jen.Id("r")), jen.Nil())
}

// ifInvalid returns from the function with results and the error if params had a mistake.
//
//	if err := params.Err(); err != nil {
//		return b, invalidParams(err)
//	}
func ifInvalid(results ...jen.Code) *jen.Statement {
	invalid := jen.Id("invalidParams").Call(jen.Err())
	return jen.If(jen.Err().Op(":=").Id("params").Dot("Err").Call(), jen.Err().Op("!=").Nil()).
		Block(jen.Return(append(results, invalid)...))
}

// emitInvalidParams writes the function that words the error.
func emitInvalidParams(f *protocolFile) {
	text := jen.Lit("invalid params: ").Op("+").Err().Dot("Error").Call()
	f.doc("invalidParams returns the error for params that do not decode.")
	f.Func().Id("invalidParams").Params(jen.Err().Error()).Error().Block(
		jen.Return(snip.Wire("NewError").Call(snip.Wire("CodeInvalidParams"), text)),
	)
	f.Line()
}
