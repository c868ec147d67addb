package server

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Discover implements protocol.ServerHandler.
func (h *handler) Discover(context.Context, *protocol.RequestParams) (protocol.DiscoverReply, error) {
	s := h.c.s
	return s.prepared.discover.get(h.rev, s.discoverResult), nil
}

// capabilitiesIn are what clients of rev are told.
func (f *Features) capabilitiesIn(rev protocol.Revision) protocol.ServerCapabilities {
	c := f.Capabilities
	if len(c.Extensions) > 0 && !era.IsModern(rev) { // clients of today look for it, where no member had that name
		c.Extra = slices.Clone(c.Extra)
		c.Extra.Set(call.MemberExtensions, wire.AppendMap(nil, c.Extensions, wire.AppendObject))
	}
	if x := f.Extensions; x != nil {
		x.declare(&c, rev)
	}
	return c
}

func (s *Server) discoverResult(rev protocol.Revision) protocol.Prepared {
	c := s.features.capabilitiesIn(rev)
	if s.tasks != nil {
		s.tasks.declare(&c)
	}
	r := protocol.DiscoverResult{
		SupportedVersions: era.Table.Versions(),
		Capabilities:      c,
		Instructions:      s.features.Instructions,
		Meta:              s.shared.ResultMeta(rev),
	}
	return r.AppendJSON(nil, rev)
}
