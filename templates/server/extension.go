package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// extensionsCode declares the extensions of a server, nil for none.
//
//	mcprt.Extensions(
//		mcprt.Extension{
//			ID:       "com.example/locks",
//			Settings: mcprt.EncodeSettings(encodeSettings, &Locks),
//			Methods:  []mcprt.Method{…},
//		},
//	)
func extensionsCode(s *ir.Server) jen.Code {
	var list []jen.Code
	if len(s.Extensions) == 0 {
		return nil
	}
	for _, x := range s.Extensions {
		var m jenutil.Members
		m.Text("ID", x.ID)
		m.Add("Settings", settingsCode(&x.Settings))
		m.Add("Revisions", textsCode(x.Revisions))
		var methods, filters jenutil.Elements
		for _, method := range x.Methods {
			if method.Filter {
				filters.Add(filterLit(method))
			} else {
				methods.Add(methodLit(method))
			}
		}
		if len(methods) > 0 {
			m.Add("Methods", jen.Index().Add(jenutil.RT("Method")).Add(methods.Lines()))
		}
		if len(filters) > 0 {
			m.Add("Filters", jen.Index().Add(jenutil.RT("Filter")).Add(filters.Lines()))
		}
		list = append(list, jenutil.RT("Extension").Add(m.Lines(x.Settings.File+": "+x.Settings.Var)))
	}
	return jenutil.RT("Extensions").Call(list...)
}

// experimentalCode declares the experimental capabilities, nil for none.
//
//	mcprt.DeclareExperimental(mcprt.Experimental{ // plain.go: Preview
//		Name:     "com.example/preview",
//		Settings: mcprt.EncodeSettings(encodePreview, &Preview),
//	})
func experimentalCode(s *ir.Server) jen.Code {
	if len(s.Experimental) == 0 {
		return nil
	}
	var list []jen.Code
	for _, e := range s.Experimental {
		var m jenutil.Members
		m.Text("Name", e.Name)
		m.Add("Settings", settingsCode(&e.Settings))
		list = append(list, jenutil.RT("Experimental").Add(m.Lines(e.Settings.File+": "+e.Settings.Var)))
	}
	return jenutil.RT("DeclareExperimental").Call(list...)
}

// settingsCode is the function that returns the settings of a capability, nil for none.
func settingsCode(s *ir.Settings) jen.Code {
	switch {
	case s.None:
		return nil
	case s.Encode == nil:
		return jenutil.RT("Settings").Call(jenutil.AddrOf(jenutil.Ident(s.Var)))
	}
	return jenutil.RT("EncodeSettings").Call(jenutil.Ident(s.Encode.Name), jenutil.AddrOf(jenutil.Ident(s.Var)))
}

// methodLit declares one method.
//
//	{ // locks.go: (*Service).Acquire
//		Name: "com.example/locks/acquire",
//		Call: mcprt.WithParams(impl, serveAcquire),
//	}
func methodLit(x *ir.ServerMethod) jen.Code {
	var m jenutil.Members
	m.Text("Name", x.Name)
	m.Add("Revisions", protoCode(x.Revisions))
	m.Text("Since", x.Since)
	m.Add("Guard", rulesCode(x.Rules))
	m.Flag("Notification", x.Notification)
	m.Flag("Undeclared", x.Undeclared)
	m.Flag("Logs", x.Callee.Takes(ir.ParamLogger))
	m.Add("Call", handlerCode("WithParams", calls(&x.Callee), x.Serve))
	return m.Lines(x.Callee.File + ": " + x.Callee.Decl)
}

// filterLit declares a member of the filter of subscriptions/listen.
//
//	{ // locks.go: (*Service).Follow
//		Name:   "com.example/locks/follow",
//		Topics: mcprt.WithParams(impl, serveFollow),
//	}
func filterLit(x *ir.ServerMethod) jen.Code {
	var m jenutil.Members
	m.Text("Name", x.Name)
	m.Text("Since", x.Since)
	m.Add("Guard", rulesCode(x.Rules))
	m.Flag("Undeclared", x.Undeclared)
	m.Add("Topics", handlerCode("WithParams", calls(&x.Callee), x.Serve))
	return m.Lines(x.Callee.File + ": " + x.Callee.Decl)
}

// emitMethod writes the function that runs a method of an extension.
//
//	func serveAcquire(impl *LocksImpl, c *mcprt.Call, params []byte) (json.RawMessage, error) {
//		var in AcquireParams
//		if err := mcprt.Arguments(params, decodeAcquireParams, &in); err != nil {
//			return nil, err
//		}
//		out, err := impl.Service.Acquire(c, in)
//		return mcprt.EncodeObject(encodeLease, &out, err)
//	}
func emitMethod(f *serverFile, s *ir.Server, m *ir.ServerMethod) {
	params := jen.Id("params")
	read := jenutil.RT("NoArguments").Call(params)
	var body, args []jen.Code
	if m.Args != nil {
		body = append(body, jen.Var().Id("in").Add(jenutil.GoType(m.Args.Type)))
		read = jenutil.RT("Arguments").Call(params, jenutil.Ident(m.Args.Decode), jenutil.AddrOf(jen.Id("in")))
	}
	body = append(body, jen.If(jen.Err().Op(":=").Add(read), jen.Err().Op("!=").Nil()).Block(
		jen.Return(jen.Nil(), jen.Err())))
	for _, p := range m.Callee.Params {
		args = append(args, toolArg(p))
	}
	call, result := callOf(&m.Callee, args...), jen.Qual("encoding/json", "RawMessage")
	switch {
	case m.Filter:
		result = jen.Index().String()
		body = append(body, jen.Return(call))
	case m.Encode != nil:
		body = append(body, jen.List(jen.Id("out"), jen.Err()).Op(":=").Add(call),
			jen.Return(encoded("EncodeObject", m.Encode, m.OutPointer)))
	case m.Returns:
		body = append(body, jen.Return(jenutil.RT("AsObject").Call(call)))
	default:
		body = append(body, jen.Return(jenutil.RT("AsEmpty").Call(call)))
	}
	f.handler(s, calls(&m.Callee), m.Serve, callParam(), jen.Id("params").Index().Byte()).
		Params(result, jen.Error()).
		Block(body...)
}

// emitNotifications writes the methods that make structs notifications of extensions.
//
//	// MCPNotification makes a Released what mcp.Call.Notify sends.
//	func (v Released) MCPNotification() mcprt.Notification {
//		return mcprt.Notification{
//			Extension: "com.example/locks",
//			Method:    "notifications/com.example/locks/released",
//			Params:    mcprt.EncodeSettings(encodeReleased, &v),
//		}
//	}
func emitNotifications(f *serverFile, s *ir.Server) {
	for _, x := range s.Extensions {
		for _, n := range x.Notifications {
			f := f.of(n.File)
			var m jenutil.Members
			m.Text("Extension", x.ID)
			m.Text("Method", n.Name)
			m.Text("Since", n.Since)
			if n.Topic != "" {
				m.Add("Topic", topicCode(n))
			}
			m.Add("Params", settingsCode(&ir.Settings{Var: "v", Encode: n.Encode}))
			sends := "mcp.Call.Notify sends."
			if n.Publish != "" {
				sends = "mcp.Call.Notify and " + n.Publish + " send."
			}
			f.note("MCPNotification makes a " + n.Type.Name + " what " + sends)
			f.Func().Params(jen.Id("v").Add(jenutil.GoType(n.Type))).Id("MCPNotification").Params().
				Add(jenutil.RT("Notification")).
				Block(jen.Return(jenutil.RT("Notification").Add(m.Lines(""))))
			emitPublished(f, s, n)
		}
	}
}

// topicCode is the name of the topic of a notification: v.Name, or string(v.Door).
func topicCode(n *ir.ServerNotification) jen.Code {
	field := jen.Id("v").Dot(jenutil.Name(n.Topic))
	if n.TopicText {
		return field
	}
	return jen.String().Call(field)
}

// emitPublished writes the method that sends a notification to clients that listen.
//
//	// PublishReleased sends v to the clients whose listens follow the topic v.Name. It never blocks.
//	// An error means that v is too long, or cannot be encoded.
//	func (s *LocksServer) PublishReleased(v Released) error {
//		return mcprt.Publish(s.Server, v.MCPNotification())
//	}
func emitPublished(f *serverFile, s *ir.Server, n *ir.ServerNotification) {
	if n.Publish == "" {
		return
	}
	f.note(n.Publish + " sends v to the clients whose listens follow the topic v." + n.Topic +
		". It never blocks. An error means that v is too long, or cannot be encoded.")
	f.method(s, n.Publish).Params(jen.Id("v").Add(jenutil.GoType(n.Type))).Error().Block(
		jen.Return(jenutil.RT("Publish").Call(jen.Id("s").Dot("Server"), jen.Id("v").Dot("MCPNotification").Call())))
}
