package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitNotify writes the handler interface and the switch for notifications.
func emitNotify(f *protocolFile) {
	methods := clientMethods(f.p, true)
	f.doc("NotificationHandler receives the notifications that clients send, of all revisions. Params are never nil.")
	f.Type().Id("NotificationHandler").InterfaceFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Add(snip.Doc(m.Go+" receives "+m.Name+". "+m.Note, 4))
			g.Id(m.Go).Params(snip.CtxParam(), jen.Id("p").Add(paramsType(m)))
		}
	})
	f.Line()
	f.doc("DispatchNotification reads params and calls the method of h. Its errors are those of [Dispatch]; nobody is told " +
		"about them, since notifications are not answered.")
	method := jen.Id("method").Index().Byte()
	f.Func().Id("DispatchNotification").
		Params(snip.CtxParam(), jen.Id("h").Id("NotificationHandler"), jen.Id("rev").Id("Revision"), method, params()).
		Error().
		Block(
			jen.Switch(jen.String().Call(jen.Id("method"))).BlockFunc(func(g *jen.Group) {
				for _, m := range methods {
					notifyCase(g, f.p, m)
				}
			}),
			jen.Return(jen.Id("noMethod").Call()),
		)
	f.Line()
	emitNotifyHelpers(f, methods)
}

// emitNotifyHelpers writes what the cases of DispatchNotification share.
func emitNotifyHelpers(f *protocolFile, methods []*ir.Method) {
	list := jen.List(snip.CtxParam(), jen.Id("rev").Id("Revision"), params())
	call := jen.Id("call").Func().Params(jen.Qual("context", "Context"), jen.Id("P"))
	if slices.ContainsFunc(methods, func(m *ir.Method) bool { return m.Union }) {
		f.doc("notifyUnion is notify for params that are one of several structs.")
		f.Func().Id("notifyUnion").Types(jen.Id("P").Any()).Params(list.Clone(), decodeParam(), call.Clone()).Error().Block(
			jen.Id("p").Op(":=").Id("decode").Call(jen.Id("params"), jen.Id("rev")),
			ifInvalid(),
			jen.Id("call").Call(jen.Id("ctx"), jen.Id("p")),
			jen.Return(jen.Nil()),
		)
		f.Line()
	}
	if slices.ContainsFunc(methods, func(m *ir.Method) bool { return !m.Union }) {
		f.doc("notify decodes params and calls a method of the handler.")
		f.Func().Id("notify").Types(structParam()).Params(list, call).Error().Block(
			jen.Id("p").Op(":=").Id("P").Call(jen.New(jen.Id("T"))),
			jen.Id("p").Dot("DecodeJSON").Call(jen.Id("params"), jen.Id("rev")),
			ifInvalid(),
			jen.Id("call").Call(jen.Id("ctx"), jen.Id("p")),
			jen.Return(jen.Nil()),
		)
	}
}

// notifyCase calls one method of the handler.
//
//	case MethodNotificationsCancelled:
//		return notify(ctx, rev, params, h.Cancelled)
func notifyCase(g *jen.Group, p *ir.Protocol, m *ir.Method) {
	function, args := "notify", []jen.Code{jen.Id("ctx"), jen.Id("rev"), jen.Id("params")}
	if m.Union {
		function, args = "notifyUnion", append(args, jen.Id("Decode"+m.Params))
	}
	call := jen.Return(jen.Id(function).Call(append(args, jen.Id("h").Dot(m.Go))...))
	if cond := revIn(p, m.ClientRevs, p.All()); cond != nil {
		g.Case(jen.Id(m.Const)).Block(jen.If(cond).Block(call))
		return
	}
	g.Case(jen.Id(m.Const)).Block(call)
}
