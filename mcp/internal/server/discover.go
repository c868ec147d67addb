package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Discover implements protocol.ServerHandler.
func (h *handler) Discover(context.Context, *protocol.RequestParams) (protocol.DiscoverReply, error) {
	s := h.c.s
	return s.prepared.discover.get(h.rev, s.discoverResult), nil
}

// capabilitiesIn are what clients of rev are told.
func (f *Features) capabilitiesIn(rev protocol.Revision) protocol.ServerCapabilities {
	c := f.Capabilities
	if x := f.Extensions; x != nil {
		x.declare(&c, rev)
	}
	return c
}

func (s *Server) discoverResult(rev protocol.Revision) protocol.Prepared {
	r := protocol.DiscoverResult{
		SupportedVersions: eras.Versions(),
		Capabilities:      s.features.capabilitiesIn(rev),
		Instructions:      s.features.Instructions,
		Meta:              s.resultMeta(rev),
	}
	return r.AppendJSON(nil, rev)
}
