package server

import (
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Proto is a range of protocol revisions by their dates, both ends included; an empty end is open.
// Clients of other revisions are served as if the feature did not exist.
type Proto struct {
	From, To string
	// Off says that the feature exists for nobody: it is not part of this version of the server.
	Off bool
}

func (p Proto) has(rev protocol.Revision) bool {
	if p == (Proto{}) {
		return true
	}
	date := rev.String()
	return !p.Off && p.From <= date && (p.To == "" || date <= p.To)
}

// switches remember which features are off, by place in Features.
type switches struct{ resources, tools, prompts []atomic.Bool }

func newSwitches(f *Features) switches {
	return switches{make([]atomic.Bool, len(f.Resources)), make([]atomic.Bool, len(f.Tools)), make([]atomic.Bool, len(f.Prompts))}
}

// offersResource reports whether clients of rev may know of the i-th resource.
func (s *Server) offersResource(i int, rev protocol.Revision) bool {
	return !s.off.resources[i].Load() && s.features.Resources[i].Proto.has(rev)
}

// offersTool reports whether clients of rev may know of the i-th tool.
func (s *Server) offersTool(i int, rev protocol.Revision) bool {
	return !s.off.tools[i].Load() && s.features.Tools[i].Proto.has(rev)
}

// offersPrompt reports whether clients of rev may know of the i-th prompt.
func (s *Server) offersPrompt(i int, rev protocol.Revision) bool {
	return !s.off.prompts[i].Load() && s.features.Prompts[i].Proto.has(rev)
}

// EnableResource switches the resource, or the template, with that declared URI on or off. While it is
// off, clients find it in no list and can neither read it nor subscribe. Tools that read the template are
// switched with it. Clients are told of the change, subscribers too. It does nothing for a URI that was not declared, and never blocks.
func (s *Server) EnableResource(uri string, on bool) {
	s.enableResource(uri, on)
	s.relatives(func(o *Server) bool {
		return slices.ContainsFunc(o.features.Resources, func(r Resource) bool { return r.uri() == uri })
	}, func(o *Server) { o.enableResource(uri, on) })
}

func (s *Server) enableResource(uri string, on bool) {
	for i := range s.features.Resources {
		r := &s.features.Resources[i]
		if r.uri() != uri || s.off.resources[i].Swap(!on) == !on {
			continue
		}
		s.prepared.resources.forget()
		s.prepared.templates.forget()
		s.hub.PublishAll(s.mains[i])
		s.hub.PublishList(resourceList)
		for j := range s.features.Tools {
			if t := &s.features.Tools[j]; t.Reads != nil && t.reads == i {
				s.enableTool(t.id(), on)
			}
		}
	}
}

// uri is the URI of the declaration, or its template.
func (r *Resource) uri() string {
	if r.Entry != nil {
		return r.Entry.URI
	}
	return r.Template.URITemplate
}

// EnableTool switches a tool on or off. While it is off, clients cannot list or call it. They are told of
// the change. It does nothing for a name that was not declared, and never blocks.
func (s *Server) EnableTool(name string, on bool) {
	i := slices.IndexFunc(s.features.Tools, func(t Tool) bool { return t.Entry.Name == name })
	if i < 0 {
		return
	}
	id := s.features.Tools[i].id()
	s.enableTool(id, on)
	s.relatives(func(o *Server) bool {
		return slices.ContainsFunc(o.features.Tools, func(t Tool) bool { return t.id() == id })
	},
		func(o *Server) { o.enableTool(id, on) })
}

func (s *Server) enableTool(id *protocol.Tool, on bool) {
	for i := range s.features.Tools {
		if s.features.Tools[i].id() == id && s.off.tools[i].Swap(!on) != !on {
			s.prepared.tools.Load().forget()
			s.hub.PublishList(toolList)
		}
	}
}

// EnablePrompt switches a prompt on or off. While it is off, clients cannot list, get or complete it. They
// are told of the change. It does nothing for a name that was not declared, and never blocks.
func (s *Server) EnablePrompt(name string, on bool) {
	i := slices.IndexFunc(s.features.Prompts, func(p Prompt) bool { return p.Entry.Name == name })
	if i < 0 {
		return
	}
	id := s.features.Prompts[i].id()
	s.enablePrompt(id, on)
	s.relatives(func(o *Server) bool {
		return slices.ContainsFunc(o.features.Prompts, func(p Prompt) bool { return p.id() == id })
	},
		func(o *Server) { o.enablePrompt(id, on) })
}

func (s *Server) enablePrompt(id *protocol.Prompt, on bool) {
	for i := range s.features.Prompts {
		if s.features.Prompts[i].id() == id && s.off.prompts[i].Swap(!on) != !on {
			s.prepared.prompts.forget()
			s.hub.PublishList(promptList)
		}
	}
}
