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
// function grows faster than the function. So does one whose output is split by source file:
//
//	into := &mcprt.Features{…}
//	notesFeatures1(into, impl)
//	…
//	return into
func emitFeatures(f *serverFile, s *ir.Server) {
	var params, args, body []jen.Code
	if len(s.Receivers) > len(s.Mounts) {
		params = append(params, implParam(s))
		args = append(args, jen.Id("impl"))
	}
	lit := jenutil.Ref(jenutil.RT("Features"), featuresLit(s))
	if len(s.Parts) == 0 {
		body = append(body, jen.Return(withSkills(s, lit)))
	} else {
		into := f.unused("into")
		body = append(body, jenutil.Ident(into).Op(":=").Add(lit))
		args = append([]jen.Code{jenutil.Ident(into)}, args...)
		for _, part := range s.Parts {
			body = append(body, jenutil.Ident(part.Name).Call(args...))
		}
		body = append(body, jen.Return(withSkills(s, jenutil.Ident(into))))
		defer emitParts(f, s, into, append([]jen.Code{jenutil.Ident(into).Add(jenutil.PtrTo(jenutil.RT("Features")))},
			params...))
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

// emitParts writes the functions that declare features, each into the file that it belongs to.
//
//	func notesFeatures1(into *mcprt.Features, impl *NotesImpl) {
//		into.Resources = append(into.Resources, mcprt.Resource{…})
//		…
//	}
func emitParts(f *serverFile, s *ir.Server, into string, params []jen.Code) {
	for _, part := range s.Parts {
		f := f.of(part.File)
		f.Line()
		f.Func().Add(jenutil.Ident(part.Name)).Params(params...).Block(partCode(part, into)...)
	}
}

func partCode(part ir.Part, into string) (body []jen.Code) {
	add := func(list, of string, value jen.Code) {
		to := func() *jen.Statement { return jenutil.Ident(into).Dot(jenutil.Name(list)) }
		body = append(body, to().Op("=").Append(to(), jenutil.RT(of).Add(value)))
	}
	for _, x := range part.Features {
		switch {
		case x.Resource != nil:
			add("Resources", "Resource", resourceLit(x.Resource))
		case x.Tool != nil:
			add("Tools", "Tool", toolLit(x.Tool))
		case x.Prompt != nil:
			add("Prompts", "Prompt", promptLit(x.Prompt))
		}
	}
	return body
}

// featureList is a list of features: []mcprt.Tool{…}.
func featureList[T any](of string, list []T, element func(T) jen.Code) jen.Code {
	var elements jenutil.Elements
	for _, x := range list {
		elements.Add(element(x))
	}
	return jen.Index().Add(jenutil.RT(of)).Add(elements.Lines())
}

// featuresLit is the members of mcprt.Features.
func featuresLit(s *ir.Server) jen.Code {
	var m jenutil.Members
	m.Add("Info", jenutil.Protocol("Implementation").Add(infoLit(s)))
	m.Text("Instructions", s.Instructions)
	if s.PageSize > 0 {
		m.Add("PageSize", jen.Lit(s.PageSize))
	}
	whole := len(s.Parts) == 0
	if whole && len(s.Resources) > 0 {
		m.Add("Resources", featureList("Resource", s.Resources, placedLit))
	}
	if s.Routes != nil {
		m.Apart("Route", jenutil.Ident(s.Names.Route))
	}
	if s.ResourceTools {
		m.Apart("ResourceTools", jenutil.RT("ResourceTools"))
	}
	if whole && len(s.Tools) > 0 {
		m.Add("Tools", featureList("Tool", s.Tools, toolLit))
	}
	if slices.ContainsFunc(s.Tools, func(t *ir.Tool) bool { return t.Task != "" }) {
		m.Apart("Tasks", jen.Qual(jenutil.TaskPath, "Serve"))
	}
	if slices.ContainsFunc(s.Tools, func(t *ir.Tool) bool { return t.App != "" }) {
		m.Apart("Apps", jenutil.RT("Apps"))
	}
	if whole && len(s.Prompts) > 0 {
		m.Add("Prompts", featureList("Prompt", s.Prompts, promptLit))
	}
	m.Add("Experimental", experimentalCode(s))
	m.Add("Extensions", extensionsCode(s))
	return m.Lines("")
}

// placedLit is a resource in a list, at its place if that has a name: notesNote: {…}.
func placedLit(r *ir.Resource) jen.Code {
	if r.Names.Place == "" {
		return resourceLit(r)
	}
	return jenutil.Ident(r.Names.Place).Op(":").Add(resourceLit(r))
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
