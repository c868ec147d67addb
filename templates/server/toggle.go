package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// protoCode is mcprt.Revisions("2025-06-18", ""), nil for all revisions.
func protoCode(p ir.Proto) jen.Code {
	switch {
	case p == (ir.Proto{}):
		return nil
	case p.Off:
		return jenutil.RT("RevisionRange").Values(jen.Id("Off").Op(":").True())
	}
	return jenutil.RT("Revisions").Call(jen.Lit(p.From), jen.Lit(p.To))
}

// textsCode is []string{"read", "public"}, nil for none.
func textsCode(tags []string) jen.Code {
	if len(tags) == 0 {
		return nil
	}
	return jen.Index().String().Values(jenutil.Strings(tags)...)
}

// emitToggles writes the methods that switch features on and off.
//
//	func (s *NotesServer) SetSearchEnabled(on bool) {
//		s.EnableTool("search", on)
//	}
func emitToggles(f *serverFile, s *ir.Server) {
	for _, r := range s.Resources {
		if r.Toggle == "" || !f.first("."+s.Names.Type+r.Toggle) {
			continue
		}
		body := []jen.Code{enable("EnableResource", r.URI)}
		for _, a := range r.Aliases {
			body = append(body, enable("EnableResource", a.URI))
		}
		emitToggle(f.of(r.Callee.File), s, r.Toggle, r.URI, body)
	}
	for _, t := range s.Tools {
		if t.Toggle != "" {
			emitToggle(f.of(t.Callee.File), s, t.Toggle, "the tool "+t.Name, []jen.Code{enable("EnableTool", t.Name)})
		}
	}
	for _, p := range s.Prompts {
		if p.Toggle != "" {
			emitToggle(f.of(p.Callee.File), s, p.Toggle, "the prompt "+p.Name, []jen.Code{enable("EnablePrompt", p.Name)})
		}
	}
	for _, e := range s.Events {
		if e.Toggle != "" {
			emitToggle(f.of(e.File), s, e.Toggle, "the event "+e.Name,
				[]jen.Code{jen.Id("s").Dot(jenutil.Name(e.Names.Field)).Dot("Enable").Call(jen.Id("on"))})
		}
	}
}

func enable(method, what string) jen.Code {
	return jen.Id("s").Dot(jenutil.Name(method)).Call(jen.Lit(what), jen.Id("on"))
}

func emitToggle(f *serverFile, s *ir.Server, name, what string, body []jen.Code) {
	f.note(name + " switches " + what + " on or off, and tells clients. It is on at first. It never blocks.")
	f.method(s, name).Params(jen.Id("on").Bool()).Block(body...)
}
