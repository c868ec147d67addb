package protocol

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
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
		Params(jen.Id("b").Index().Byte(), jen.Id("_").Add(revision())).Index().Byte().
		Block(jen.Return(jen.Append(jen.Id("b"), jen.Id("p").Op("..."))))
	f.Line()
	f.doc("MarshalJSON returns the result.")
	f.Func().Params(jen.Id("p").Id("Prepared")).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).
		Block(jen.Return(jen.Id("p"), jen.Nil()))
	f.Line()
	for _, m := range requestMethods(f.p) {
		f.doc(m.Reply + " answers " + m.Name + ". It is " + strings.Join(members(m.Results), ", ") +
			", an *Unknown or Prepared.")
		f.Type().Id(m.Reply).InterfaceFunc(func(g *jen.Group) {
			g.Add(appendMethod())
			g.Id(m.Marker).Params()
		})
		f.Line()
		markMembers(f, m.Marker, m.Results)
		f.Func().Params(jen.Id("Prepared")).Id(m.Marker).Params().Block()
		f.Line()
	}
}

// emitDispatch writes the handler interface and the only switch over request methods of clients, and what all
// dispatchers share.
func emitDispatch(f *protocolFile) {
	f.empty = f.p.Extension != nil && len(f.p.Methods) == 0
	emitRequests(f, &servers)
	emitInvoke(f)
	if slices.ContainsFunc(f.p.Methods, func(m *ir.Method) bool { return m.Notification }) {
		f.Line()
		emitNotifyHelper(f)
	}
}

// emitRequests writes the handler of requests that a side receives, and its dispatcher.
func emitRequests(f *protocolFile, s *side) {
	methods := s.methods(f.p, false)
	if f.p.Extension != nil && len(methods) == 0 {
		return
	}
	f.doc(s.requests + " answers the requests that " + s.senders + " send, of all revisions." + s.requestsWith)
	f.Type().Id(s.requests).InterfaceFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Add(jenutil.Doc(m.Go+" answers "+m.Name+". "+s.note(m), 4))
			g.Id(m.Go).Params(jenutil.CtxParam(), jen.Id("p").Add(paramsType(m))).Params(jen.Id(m.Reply), jen.Error())
		}
	})
	f.Line()
	text := s.dispatch + " reads params, calls the method of h and appends the encoded reply to b. "
	if s.elsewhereToSee == "" {
		text += "The Decoder is not used any " +
			"more when h is called. It returns b as it was and an error if the revision does not have the method " +
			"(a [wire.Error] with code -32601), " +
			"if the params do not decode (-32602, its message has the JSON pointer of the mistake), or what h returned."
	} else {
		text += "Its errors are those of [" + s.elsewhereToSee + "]."
	}
	f.doc(text)
	method, b := jen.Id("method").Index().Byte(), jen.Id("b").Index().Byte()
	f.Func().Id(s.dispatch).
		Params(jenutil.CtxParam(), jen.Id("h").Id(s.requests), jen.Id("rev").Add(revision()), method, params(), b).
		Params(jen.Index().Byte(), jen.Error()).
		Block(
			jen.Switch(jen.String().Call(jen.Id("method"))).BlockFunc(func(g *jen.Group) {
				for _, m := range methods {
					s.requestCase(g, f.p, m)
				}
			}),
			jen.Return(jen.Id("b"), jen.Id("noMethod").Call()),
		)
	f.Line()
	emitUnimplementedRequests(f, s)
}

func paramsType(m *ir.Method) *jen.Statement {
	if m.Union {
		return typeName(m.Params)
	}
	return jen.Op("*").Add(typeName(m.Params))
}

// requestCase reads the params of one method and calls it. Nothing here is generic: a type parameter would keep all
// methods of all params in the binary, their encoders too.
//
//	case MethodInitialize:
//		if rev <= Revision20251125 {
//			p := new(InitializeRequestParams)
//			p.DecodeJSON(params, rev)
//			return invoke(rev, params, b, func() (Reply, error) { return h.Initialize(ctx, p) })
//		}
func (s *side) requestCase(g *jen.Group, p *ir.Protocol, m *ir.Method) {
	call := jen.Func().Params().Params(jen.Id("Reply"), jen.Error()).
		Block(jen.Return(jen.Id("h").Dot(m.Go).Call(jen.Id("ctx"), jen.Id("p"))))
	s.methodCase(g, p, m, jen.Id("invoke").Call(jen.Id("rev"), jen.Id("params"), jen.Id("b"), call))
}

// methodCase writes the case of one method: it reads the params and returns what call does, in the revisions that have
// it.
func (s *side) methodCase(g *jen.Group, p *ir.Protocol, m *ir.Method, call *jen.Statement) {
	body := append(readParams(m), jen.Return(call))
	if cond := revIn(p, s.revs(m), p.All()); cond != nil {
		body = []jen.Code{jen.If(cond).Block(body...)}
	}
	g.Case(jen.Id(m.Const)).Block(body...)
}

// readParams decodes the params of a method into p.
func readParams(m *ir.Method) []jen.Code {
	args := []jen.Code{jen.Id("params"), revFor(m.Params)}
	if m.Union {
		return []jen.Code{jen.Id("p").Op(":=").Add(funcName("Decode", m.Params)).Call(args...)}
	}
	return []jen.Code{jen.Id("p").Op(":=").New(typeName(m.Params)), jen.Id("p").Dot("DecodeJSON").Call(args...)}
}

// params returns the Decoder as a parameter. It comes from the caller, who can use one for all messages: made here it
// would be an allocation for each.
func params() *jen.Statement { return jen.Id("params").Add(jenutil.Decoder()) }

// emitInvoke writes what all cases of Dispatch share.
func emitInvoke(f *protocolFile) {
	f.doc("Reply is what answers a request. All replies are one.")
	f.Type().Id("Reply").Interface(appendMethod())
	f.Line()
	emitInvokeMethod(f)
	emitInvalidParams(f)
	f.doc("noMethod returns the error for a method that the revision does not have.")
	f.Func().Id("noMethod").Params().Error().Block(
		jen.Return(jenutil.Wire("NewError").Call(jenutil.Wire("CodeMethodNotFound"), jen.Lit("method not found"))),
	)
}

// emitInvokeMethod writes invoke.
//
//	if err := params.Err(); err != nil {
//		return b, invalidParams(err)
//	}
//	r, err := call()
//	if err != nil {
//		return b, err
//	}
//	if r == nil {
//		return new(Result).AppendJSON(b, rev), nil
//	}
//	return r.AppendJSON(b, rev), nil
func emitInvokeMethod(f *protocolFile) {
	call := jen.Id("call").Func().Params().Params(jen.Id("Reply"), jen.Error())
	f.doc("invoke calls a method of the handler and appends its reply, unless params had a mistake.")
	f.Func().Id("invoke").
		Params(jen.Id("rev").Add(revision()), params(), jen.Id("b").Index().Byte(), call).
		Params(jen.Index().Byte(), jen.Error()).
		Block(
			ifInvalid(jen.Id("b")),
			jen.List(jen.Id("r"), jen.Err()).Op(":=").Id("call").Call(),
			jenutil.IfErr(jen.Id("b"), jen.Err()),
			jen.If(jen.Id("r").Op("==").Nil()).Block(
				jen.Return(jen.New(typeName(f.p.EmptyResult)).Dot("AppendJSON").
					Call(jen.Id("b"), revFor(f.p.EmptyResult)), jen.Nil()),
			),
			jen.Return(jen.Id("r").Dot("AppendJSON").Call(jen.Id("b"), jen.Id("rev")), jen.Nil()),
		)
	f.Line()
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
		jen.Return(jenutil.Wire("NewError").Call(jenutil.Wire("CodeInvalidParams"), text)),
	)
	f.Line()
}
