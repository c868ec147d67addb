package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitUnimplementedRequests writes the struct that answers every request with an error. Handlers embed it, so that a
// request which a later revision adds does not stop them from building.
//
//	type UnimplementedServerHandler struct{}
//
//	func (UnimplementedServerHandler) Ping(context.Context, *RequestParams) (PingReply, error) {
//		return nil, noMethod()
//	}
func emitUnimplementedRequests(f *protocolFile, s *side) {
	name := "Unimplemented" + s.requests
	f.doc(name + " is a [" + s.requests + "] whose methods answer that the method is not found. Embed it by value: a " +
		"handler then keeps building when a newer revision of the protocol adds a request.")
	f.Type().Id(name).Struct()
	f.Line()
	for _, m := range s.methods(f.p, false) {
		f.doc(m.Go + " answers that the method is not found.")
		f.Func().Params(jen.Id(name)).Id(m.Go).
			Params(jenutil.ContextType(), paramsType(m)).Params(jen.Id(m.Reply), jen.Error()).
			Block(jen.Return(jen.Nil(), jen.Id("noMethod").Call()))
		f.Line()
	}
}

// emitUnimplementedNotifications writes the struct that ignores every notification.
//
//	type UnimplementedNotificationHandler struct{}
//
//	func (UnimplementedNotificationHandler) Cancelled(context.Context, *CancelledNotificationParams) {}
func emitUnimplementedNotifications(f *protocolFile, s *side) {
	name := "Unimplemented" + s.notifications
	f.doc(name + " is a [" + s.notifications + "] whose methods do nothing. Embed it by value: a handler " +
		"then keeps building when a newer revision of the protocol adds a notification.")
	f.Type().Id(name).Struct()
	f.Line()
	for _, m := range s.methods(f.p, true) {
		f.doc(m.Go + " does nothing.")
		f.Func().Params(jen.Id(name)).Id(m.Go).Params(jenutil.ContextType(), paramsType(m)).Block()
		f.Line()
	}
}
