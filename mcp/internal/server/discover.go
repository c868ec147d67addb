package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// Discover implements protocol.ServerHandler.
func (w *handler) Discover(context.Context, *protocol.RequestParams) (protocol.DiscoverReply, error) {
	s := w.s
	return s.prepared.discover.Get(w.Rev, s.discoverResult), nil
}

func (s *Server) discoverResult(rev protocol.Revision) protocol.Prepared {
	c := s.features.CapabilitiesIn(rev)
	if s.tasks != nil {
		s.tasks.Declare(&c, rev, nil)
	}
	r := protocol.DiscoverResult{
		SupportedVersions: era.Table.Versions(),
		Capabilities:      c,
		Instructions:      s.features.Instructions,
		Meta:              s.host.ResultMeta(rev),
	}
	return r.AppendJSON(nil, rev)
}
