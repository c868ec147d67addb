package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitFeatures writes the declaration of everything that a server offers.
//
//	func notesFeatures(impl NotesImpl) *mcprt.Features {
//		h := &notesHandlers{impl}
//		return &mcprt.Features{
//			Info: protocol.Implementation{…},
//			…
//		}
//	}
//
// A server with many features declares them in functions of limited size, because what the compiler needs for a
// function grows faster than the function:
//
//	into := &mcprt.Features{
//		Resources: make([]mcprt.Resource, 334),
//		…
//	}
//	notesFeatures1(into, impl, h)
//	return into
func emitFeatures(f *serverFile, s *ir.Server) {
	var params, args, body []jen.Code
	if len(s.Receivers) > len(s.Mounts) {
		params = append(params, jen.Id("impl").Add(snip.Ident(s.Names.Impl)))
		args = append(args, jen.Id("impl"))
	}
	result := params
	uses := handlersOf(s)
	if uses.any {
		var values []jen.Code
		if uses.impl {
			values = append(values, jen.Id("impl"))
		}
		body = append(body, jen.Id("h").Op(":=").Add(snip.Ref(snip.Ident(s.Names.Handlers), jen.Values(values...))))
		params = append(slices.Clip(params), jen.Id("h").Add(snip.PtrTo(snip.Ident(s.Names.Handlers))))
		args = append(args, jen.Id("h"))
	}
	lit := snip.Ref(snip.RT("Features"), featuresLit(s))
	if len(s.Names.Parts) == 0 {
		body = append(body, jen.Return(lit))
	} else {
		into := f.unused("into")
		body = append(body, snip.Ident(into).Op(":=").Add(lit))
		for _, part := range s.Names.Parts {
			body = append(body, snip.Ident(part).Call(append([]jen.Code{snip.Ident(into)}, args...)...))
		}
		body = append(body, jen.Return(snip.Ident(into)))
		defer emitParts(f, s, append([]jen.Code{snip.Ident(into).Add(snip.PtrTo(snip.RT("Features")))}, params...))
	}
	f.note(s.Names.Features + " declares what the server offers, in source order.")
	f.Func().Add(snip.Ident(s.Names.Features)).Params(result...).Add(snip.PtrTo(snip.RT("Features"))).Block(body...)
}

// unused returns a name that the user's package does not declare.
func (f *serverFile) unused(name string) string {
	for slices.Contains(f.pkg.Declared, name) {
		name += "_"
	}
	return name
}

// emitParts writes the functions that declare the features of a large server, ir.PartSize each.
//
//	func notesFeatures1(into *mcprt.Features, impl NotesImpl, h *notesHandlers) {
//		into.Resources[notesNote] = mcprt.Resource{…}
//	}
func emitParts(f *serverFile, s *ir.Server, params []jen.Code) {
	var all []jen.Code
	set := func(list, of, index string, value jen.Code) {
		all = append(all, snip.Ident(f.unused("into")).Dot(snip.Name(list)).Index(snip.Ident(index)).Op("=").Add(snip.RT(of)).Add(value))
	}
	for _, r := range s.Resources {
		set("Resources", "Resource", r.Names.Place, resourceLit(r))
	}
	for _, t := range s.Tools {
		set("Tools", "Tool", t.Place, toolLit(t))
	}
	for _, p := range s.Prompts {
		set("Prompts", "Prompt", p.Place, promptLit(p))
	}
	for i, part := range s.Names.Parts {
		f.Line()
		f.Func().Add(snip.Ident(part)).Params(params...).Block(all[i*ir.PartSize : min((i+1)*ir.PartSize, len(all))]...)
	}
}

// featureList is a list of features: its elements at their places, or room for them if they are declared in parts.
func featureList[T any](s *ir.Server, of string, list []T, element func(T) jen.Code) jen.Code {
	typ := jen.Index().Add(snip.RT(of))
	if len(s.Names.Parts) > 0 {
		return jen.Make(typ, jen.Lit(len(list)))
	}
	var elements snip.Elements
	for _, x := range list {
		elements.Add(element(x))
	}
	return typ.Add(elements.Lines())
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
		m.Add("Resources", featureList(s, "Resource", s.Resources, func(r *ir.Resource) jen.Code {
			return keyed(r.Names.Place, resourceLit(r))
		}))
		m.Add("Route", snip.Ident(s.Names.Route))
	}
	if s.ResourceTools {
		m.Add("ResourceTools", jen.True())
	}
	if len(s.Tools) > 0 {
		m.Add("Tools", featureList(s, "Tool", s.Tools, func(t *ir.Tool) jen.Code { return keyed(t.Place, toolLit(t)) }))
		m.Add("RouteTool", snip.Ident(s.Names.RouteTool))
	}
	if len(s.Prompts) > 0 {
		m.Add("Prompts", featureList(s, "Prompt", s.Prompts, func(p *ir.Prompt) jen.Code {
			return keyed(p.Place, promptLit(p))
		}))
		m.Add("RoutePrompt", snip.Ident(s.Names.RoutePrompt))
	}
	return m.Lines("")
}

// keyed is an element of a list at its place: notesNote: {…}.
func keyed(index string, value jen.Code) jen.Code {
	return snip.Ident(index).Op(":").Add(value)
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
