package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitNotify writes the handler interface and the switch for notifications.
func emitNotify(f *protocolFile) {
	f.empty = f.p.Extension != nil && len(servers.methods(f.p, true)) == 0
	emitNotifications(f, &servers)
}

// emitNotifications writes the handler of notifications that a side receives, and its dispatcher.
func emitNotifications(f *protocolFile, s *side) {
	methods := s.methods(f.p, true)
	if f.p.Extension != nil && len(methods) == 0 {
		return
	}
	f.doc(s.notifications + " receives the notifications that " + s.senders + " send, of all revisions. Params are " +
		"never nil.")
	f.Type().Id(s.notifications).InterfaceFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Add(jenutil.Doc(m.Go+" receives "+m.Name+". "+s.note(m), 4))
			g.Id(m.Go).Params(jenutil.CtxParam(), jen.Id("p").Add(paramsType(m)))
		}
	})
	f.Line()
	f.doc(s.notify + " reads params and calls the method of h. Its errors are those of [Dispatch]; " +
		"nobody is told about them, since notifications are not answered.")
	method := jen.Id("method").Index().Byte()
	f.Func().Id(s.notify).
		Params(jenutil.CtxParam(), jen.Id("h").Id(s.notifications), jen.Id("rev").Add(revision()), method, params()).
		Error().
		Block(
			jen.Switch(jen.String().Call(jen.Id("method"))).BlockFunc(func(g *jen.Group) {
				for _, m := range methods {
					s.notifyCase(g, f.p, m)
				}
			}),
			jen.Return(jen.Id("noMethod").Call()),
		)
	f.Line()
	emitUnimplementedNotifications(f, s)
}

// emitNotifyHelper writes notify, which the cases of DispatchNotification share.
//
//	if err := params.Err(); err != nil {
//		return invalidParams(err)
//	}
//	call()
//	return nil
func emitNotifyHelper(f *protocolFile) {
	call := jen.Id("call").Func().Params()
	f.doc("notify calls a method of the handler, unless params had a mistake.")
	f.Func().Id("notify").Params(params(), call).Error().Block(
		ifInvalid(),
		jen.Id("call").Call(),
		jen.Return(jen.Nil()),
	)
}

// notifyCase calls one method of the handler.
//
//	case MethodNotificationsCancelled:
//		p := new(CancelledNotificationParams)
//		p.DecodeJSON(params, rev)
//		return notify(params, func() { h.Cancelled(ctx, p) })
func (s *side) notifyCase(g *jen.Group, p *ir.Protocol, m *ir.Method) {
	call := jen.Func().Params().Block(jen.Id("h").Dot(m.Go).Call(jen.Id("ctx"), jen.Id("p")))
	s.methodCase(g, p, m, jen.Id("notify").Call(jen.Id("params"), call))
}
