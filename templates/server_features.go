package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitFeatures writes the declaration of everything that a server offers.
//
//	func notesFeatures(impl NotesImpl) *mcprt.Features {
//		h := notesHandlers{impl}
//		return &mcprt.Features{
//			Info: protocol.Implementation{…},
//			…
//		}
//	}
func emitFeatures(f *serverFile, s *ir.Server) {
	var params, body []jen.Code
	if len(s.Receivers) > len(s.Mounts) {
		params = append(params, jen.Id("impl").Add(snip.Ident(s.Names.Impl)))
	}
	switch uses := handlersOf(s); {
	case uses.impl:
		body = append(body, jen.Id("h").Op(":=").Add(snip.Ident(s.Names.Handlers)).Values(jen.Id("impl")))
	case uses.any:
		body = append(body, jen.Id("h").Op(":=").Add(snip.Ident(s.Names.Handlers)).Values())
	}
	body = append(body, jen.Return(snip.Ref(snip.RT("Features"), featuresLit(s))))

	f.note(s.Names.Features + " declares what the server offers, in source order.")
	f.Func().Add(snip.Ident(s.Names.Features)).Params(params...).Add(snip.PtrTo(snip.RT("Features"))).Block(body...)
}

// featuresLit is the members of mcprt.Features.
func featuresLit(s *ir.Server) jen.Code {
	var m snip.Members
	m.Add("Info", snip.Protocol("Implementation").Add(infoLit(s)))
	m.Text("Instructions", s.Instructions)
	if s.PageSize > 0 {
		m.Add("PageSize", jen.Lit(s.PageSize))
	}
	if len(s.Resources) > 0 {
		var list snip.Elements
		for _, r := range s.Resources {
			list.Add(keyed(r.Names.Place, resourceLit(r)))
		}
		m.Add("Resources", jen.Index().Add(snip.RT("Resource")).Add(list.Lines()))
		m.Add("Route", snip.Ident(s.Names.Route))
	}
	if s.ResourceTools {
		m.Add("ResourceTools", jen.True())
	}
	if len(s.Tools) > 0 {
		var list snip.Elements
		for _, t := range s.Tools {
			list.Add(keyed(t.Place, toolLit(t)))
		}
		m.Add("Tools", jen.Index().Add(snip.RT("Tool")).Add(list.Lines()))
		m.Add("RouteTool", snip.Ident(s.Names.RouteTool))
	}
	if len(s.Prompts) > 0 {
		var list snip.Elements
		for _, p := range s.Prompts {
			list.Add(keyed(p.Place, promptLit(p)))
		}
		m.Add("Prompts", jen.Index().Add(snip.RT("Prompt")).Add(list.Lines()))
		m.Add("RoutePrompt", snip.Ident(s.Names.RoutePrompt))
	}
	return m.Lines("")
}

// keyed is an element of a list at its place: notesNote: {…}.
func keyed(place string, value jen.Code) jen.Code {
	return snip.Ident(place).Op(":").Add(value)
}

// infoLit names the server.
func infoLit(s *ir.Server) jen.Code {
	var m snip.Members
	m.Text("Name", s.Name)
	m.Text("Title", s.Title)
	m.Text("Version", s.Version)
	m.Text("Description", s.Description)
	m.Text("WebsiteURL", s.WebsiteURL)
	return m.Lines("")
}

// bringsCode is what a feature brings to the capabilities of its server, besides that of its kind.
func bringsCode(m *snip.Members, listChanges, logs bool) {
	if listChanges {
		m.Add("ListChanges", jen.True())
	}
	if logs {
		m.Add("Logs", jen.True())
	}
}

// newOf returns new(x), a pointer to a value.
func newOf(x jen.Code) *jen.Statement { return jen.New(x) }

// boolPtr returns new(true), new(false), or nothing for nil.
func boolPtr(b *bool) jen.Code {
	if b == nil {
		return nil
	}
	return newOf(jen.Lit(*b))
}
