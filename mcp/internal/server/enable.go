package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
)

// EnableResource switches the resource or template with the declared URI on or off. While it is off, clients find it in
// no list and can neither read it nor subscribe. Tools that read the template are switched with it. Clients get a list
// change, and subscribers get an update. EnableResource does nothing for a URI that was not declared, and never blocks.
func (s *Server) EnableResource(uri string, on bool) { s.enable(feature.KindResource, uri, on) }

// EnableTool switches a tool on or off. While it is off, clients can neither list nor call it. The change is announced
// to clients. EnableTool does nothing for an unknown name and never blocks.
func (s *Server) EnableTool(name string, on bool) { s.enableByName(feature.KindTool, name, on) }

// EnablePrompt switches a prompt on or off. While it is off, clients can neither list, get nor complete it. The change
// is announced to clients. EnablePrompt does nothing for an unknown name and never blocks.
func (s *Server) EnablePrompt(name string, on bool) { s.enableByName(feature.KindPrompt, name, on) }

// enable switches a feature on or off, in s and in the servers joined with it that have the feature. id is an ID of the
// kind k, see [feature.Kinds].
func (s *Server) enable(k feature.Kind, id any, on bool) {
	s.enableHere(k, id, on)
	s.joins.eachOther(func(o *Server) bool { return o.registry.Has(k, id) }, func(o *Server) { o.enableHere(k, id, on) })
}

// enableHere is enable for s alone.
func (s *Server) enableHere(k feature.Kind, id any, on bool) {
	s.registry.Switch(k, id, on, func(i int) {
		s.lists.Forget(k)
		if k == feature.KindResource {
			canonical := s.registry.Canonical(i)
			s.host.Hub.PublishAll(canonical)
			s.linked.Note(relay.Instances, s.features.Resources[canonical].URI())
		}
		s.host.Hub.PublishList(subscribe.ListTopic(k))
		s.linked.NoteList(k)
		if k == feature.KindResource {
			s.enableReaders(i, on)
		}
	})
}

// enableReaders switches the tools that read the i-th resource, a template.
func (s *Server) enableReaders(i int, on bool) {
	for k := range s.features.Tools {
		if t := &s.features.Tools[k]; t.Reads != nil && t.ReadsAt == i {
			s.enableHere(feature.KindTool, t.ID(), on)
		}
	}
}

// enableByName is enable for the feature of s with the given name. It does nothing if there is none.
func (s *Server) enableByName(k feature.Kind, name string, on bool) {
	for i := range feature.Kinds[k].Number(&s.features) {
		if feature.Kinds[k].At(&s.features, i).Name == name {
			s.enable(k, feature.Kinds[k].ID(&s.features, i), on)
			return
		}
	}
}

// HeaderParams returns the arguments that HTTP clients of the tool called name repeat in headers; nil if the tool has
// none or does not exist. Few tools have any, so the schema is parsed anew in each call.
func (s *Server) HeaderParams(name string) []feature.HeaderParam {
	t := s.tool(name, protocol.Latest)
	if t == nil {
		return nil
	}
	return t.HeaderParams()
}
