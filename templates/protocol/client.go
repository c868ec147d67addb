package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitClient writes what is for clients: the handlers and dispatchers of what servers send.
func emitClient(f *protocolFile) {
	f.empty = f.p.Extension != nil && len(clients.methods(f.p, false))+len(clients.methods(f.p, true)) == 0
	emitRequests(f, &clients)
	emitNotifications(f, &clients)
}

// emitDecodeReplies writes the decoders of what answers requests. The revision says whether there is one result, or a
// member that tells several apart.
//
//	func DecodeCallToolReply(d *wire.Decoder, rev Revision) CallToolReply {
//		switch string(d.PeekText("resultType")) {
//		…
//
//	func DecodeReply(d *wire.Decoder, rev Revision, method []byte) (Reply, error) {
//		switch string(method) {
//		case MethodToolsCall:
//			r := DecodeCallToolReply(d, rev)
//			return r, d.Err()
func emitDecodeReplies(f *protocolFile) {
	methods := requestMethods(f.p)
	f.empty = f.p.Extension != nil && len(methods) == 0
	for _, m := range methods {
		f.doc("Decode" + m.Reply + " reads the result of " + m.Name + ", nil after a mistake. A result that the revision " +
			"does not know is an [Unknown].")
		emitSelector(f, m.Reply, m.ClientRevs|m.ServerRevs, m.By)
	}
	f.doc("DecodeReply reads the result of a request. Its error is a [wire.Error] with code -32601 if the revision does " +
		"not have the method, else that of the Decoder.")
	f.Func().Id("DecodeReply").Params(jen.Id("d").Add(jenutil.Decoder()), jen.Id("rev").Add(revision()),
		jen.Id("method").Index().Byte()).Params(jen.Id("Reply"), jen.Error()).Block(
		jen.Switch(jen.String().Call(jen.Id("method"))).BlockFunc(func(g *jen.Group) {
			for _, m := range methods {
				body := []jen.Code{
					jen.Id("r").Op(":=").Id("Decode"+m.Reply).Call(jen.Id("d"), jen.Id("rev")),
					jen.Return(jen.Id("r"), jen.Id("d").Dot("Err").Call()),
				}
				if cond := revIn(f.p, m.ClientRevs|m.ServerRevs, f.p.All()); cond != nil {
					body = []jen.Code{jen.If(cond).Block(body...)}
				}
				g.Case(jen.Id(m.Const)).Block(body...)
			}
		}),
		jen.Return(jen.Nil(), jen.Id("noMethod").Call()),
	)
	f.Line()
}
