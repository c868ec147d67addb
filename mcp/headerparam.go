package mcp

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// HeaderParam is an argument of a tool that HTTP clients of 2026-07-28 repeat in a header, so that
// proxies can route by it: a member of the input schema with x-mcp-header.
type HeaderParam struct {
	Header string   // what follows Mcp-Param- in the name of the header
	Path   []string // members, from the arguments down to the value
}

// HeaderParams returns those of the tool called name; nil if it has none or does not exist. They
// must not be changed.
func (s *Server) HeaderParams(name string) []HeaderParam {
	if s.features.RouteTool == nil {
		return nil
	}
	i := s.features.RouteTool(name)
	if i < 0 {
		return nil
	}
	s.headers.once.Do(func() {
		s.headers.of = make([][]HeaderParam, len(s.features.Tools))
		for i := range s.features.Tools {
			s.headers.of[i] = headerParams(nil, nil, s.features.Tools[i].Entry.InputSchema)
		}
	})
	return s.headers.of[i]
}

// headerParams appends what a schema of an object and the objects in it have. Only properties lead
// to it: what hides behind other keywords does not count.
func headerParams(list []HeaderParam, path []string, schema []byte) []HeaderParam {
	properties, ok := wire.Lookup(schema, "properties")
	if !ok || wire.KindOf(properties) != wire.KindObject {
		return list
	}
	d := wire.NewDecoder(properties)
	for d.Object(); d.Next(); {
		at := append(slices.Clip(path), string(d.Name()))
		member := d.Raw()
		if raw, ok := wire.Lookup(member, "x-mcp-header"); ok {
			h := wire.NewDecoder(raw)
			if name := h.String(); h.Err() == nil {
				list = append(list, HeaderParam{name, at})
			}
		}
		list = headerParams(list, at, member)
	}
	return list
}
