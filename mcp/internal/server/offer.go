package server

import (
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

// offersResource reports whether clients of rev may know of the i-th resource.
func (s *Server) offersResource(i int, rev protocol.Revision) bool {
	return !s.off[kindResource][i].Load() && s.features.Resources[i].Proto.has(rev)
}

// offersTool reports whether clients of rev may know of the i-th tool.
func (s *Server) offersTool(i int, rev protocol.Revision) bool {
	return !s.off[kindTool][i].Load() && s.features.Tools[i].Proto.has(rev)
}

// offersPrompt reports whether clients of rev may know of the i-th prompt.
func (s *Server) offersPrompt(i int, rev protocol.Revision) bool {
	return !s.off[kindPrompt][i].Load() && s.features.Prompts[i].Proto.has(rev)
}

// EnableResource switches the resource, or the template, with that declared URI on or off. While it is
// off, clients find it in no list and can neither read it nor subscribe. Tools that read the template are
// switched with it. Clients are told of the change, subscribers too. It does nothing for a URI that was not declared,
// and never blocks.
func (s *Server) EnableResource(uri string, on bool) { s.enable(kindResource, uri, on) }

// uri is the URI of the declaration, or its template.
func (r *Resource) uri() string {
	if r.Entry != nil {
		return r.Entry.URI
	}
	return r.Template.URITemplate
}

// EnableTool switches a tool on or off. While it is off, clients cannot list or call it. They are told of
// the change. It does nothing for a name that was not declared, and never blocks.
func (s *Server) EnableTool(name string, on bool) { s.enableByName(kindTool, name, on) }

// EnablePrompt switches a prompt on or off. While it is off, clients cannot list, get or complete it. They
// are told of the change. It does nothing for a name that was not declared, and never blocks.
func (s *Server) EnablePrompt(name string, on bool) { s.enableByName(kindPrompt, name, on) }
