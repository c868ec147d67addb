package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitFeatures writes the declaration of everything that a server offers.
//
//	func notesFeatures(impl *NotesImpl) *mcprt.Features {
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
//	notesFeatures1(into, impl)
//	return into
func emitFeatures(f *serverFile, s *ir.Server) {
	var params, args, body []jen.Code
	if len(s.Receivers) > len(s.Mounts) {
		params = append(params, implParam(s))
		args = append(args, jen.Id("impl"))
	}
	lit := jenutil.Ref(jenutil.RT("Features"), featuresLit(s))
	if len(s.Names.Parts) == 0 {
		body = append(body, jen.Return(withSkills(s, lit)))
	} else {
		into := f.unused("into")
		body = append(body, jenutil.Ident(into).Op(":=").Add(lit))
		args = append([]jen.Code{jenutil.Ident(into)}, args...)
		body = append(body, jenutil.Ident(s.Names.Parts[0]).Call(args...), jen.Return(withSkills(s, jenutil.Ident(into))))
		defer emitParts(f, s, into, args,
			append([]jen.Code{jenutil.Ident(into).Add(jenutil.PtrTo(jenutil.RT("Features")))}, params...))
	}
	f.note(s.Names.Features + " declares what the server offers, in source order.")
	f.Func().Add(jenutil.Ident(s.Names.Features)).Params(params...).
		Add(jenutil.PtrTo(jenutil.RT("Features"))).Block(body...)
}

// unused returns a name that the user's package does not declare.
func (f *serverFile) unused(name string) string {
	for slices.Contains(f.pkg.Declared, name) {
		name += "_"
	}
	return name
}

// emitParts writes the functions that declare the features of a large server, ir.PartSize each. Each ends in a call of
// the next.
//
//	func notesFeatures1(into *mcprt.Features, impl *NotesImpl) {
//		into.Resources[notesNote] = mcprt.Resource{…}
//		…
//		notesFeatures2(into, impl)
//	}
func emitParts(f *serverFile, s *ir.Server, into string, args, params []jen.Code) {
	var all []jen.Code
	set := func(list, of, index string, value jen.Code) {
		all = append(all, jenutil.Ident(into).Dot(jenutil.Name(list)).Index(jenutil.Ident(index)).
			Op("=").Add(jenutil.RT(of)).Add(value))
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
		body := slices.Clone(all[i*ir.PartSize : min((i+1)*ir.PartSize, len(all))])
		if i+1 < len(s.Names.Parts) {
			body = append(body, jenutil.Ident(s.Names.Parts[i+1]).Call(args...))
		}
		f.Line()
		f.Func().Add(jenutil.Ident(part)).Params(params...).Block(body...)
	}
}

// featureList is a list of features: its elements at their places, or room for them if they are declared in parts.
func featureList[T any](s *ir.Server, of string, list []T, element func(T) jen.Code) jen.Code {
	typ := jen.Index().Add(jenutil.RT(of))
	if len(s.Names.Parts) > 0 {
		return jen.Make(typ, jen.Lit(len(list)))
	}
	var elements jenutil.Elements
	for _, x := range list {
		elements.Add(element(x))
	}
	return typ.Add(elements.Lines())
}

// featuresLit is the members of mcprt.Features.
func featuresLit(s *ir.Server) jen.Code {
	var m jenutil.Members
	m.Add("Info", jenutil.Protocol("Implementation").Add(infoLit(s)))
	m.Text("Instructions", s.Instructions)
	if s.PageSize > 0 {
		m.Add("PageSize", jen.Lit(s.PageSize))
	}
	if len(s.Resources) > 0 {
		m.Add("Resources", featureList(s, "Resource", s.Resources, func(r *ir.Resource) jen.Code {
			return keyed(r.Names.Place, resourceLit(r))
		}))
		m.Add("Route", jenutil.Ident(s.Names.Route))
	}
	if s.ResourceTools {
		m.Apart("ResourceTools", jen.True())
	}
	if len(s.Tools) > 0 {
		m.Add("Tools", featureList(s, "Tool", s.Tools, func(t *ir.Tool) jen.Code { return keyed(t.Place, toolLit(t)) }))
		m.Add("RouteTool", jenutil.Ident(s.Names.RouteTool))
	}
	if slices.ContainsFunc(s.Tools, func(t *ir.Tool) bool { return t.Task != "" }) {
		m.Apart("Tasks", jenutil.RT("Tasks"))
	}
	if slices.ContainsFunc(s.Tools, func(t *ir.Tool) bool { return t.App != "" }) {
		m.Apart("Apps", jenutil.RT("Apps"))
	}
	if len(s.Prompts) > 0 {
		m.Add("Prompts", featureList(s, "Prompt", s.Prompts, func(p *ir.Prompt) jen.Code {
			return keyed(p.Place, promptLit(p))
		}))
		m.Add("RoutePrompt", jenutil.Ident(s.Names.RoutePrompt))
	}
	m.Add("Experimental", experimentalCode(s))
	m.Add("Extensions", extensionsCode(s))
	return m.Lines("")
}

// keyed is an element of a list at its place: notesNote: {…}.
func keyed(index string, value jen.Code) jen.Code {
	return jenutil.Ident(index).Op(":").Add(value)
}

// infoLit names the server.
func infoLit(s *ir.Server) jen.Code {
	var m jenutil.Members
	m.Text("Name", s.Name)
	m.Text("Title", s.Title)
	m.Text("Version", s.Version)
	m.Text("Description", s.Description)
	m.Text("WebsiteURL", s.WebsiteURL)
	return m.Lines("")
}
