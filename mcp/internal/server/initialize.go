package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Initialize implements protocol.ServerHandler. The revision was negotiated by admitInitialize.
func (h *handler) Initialize(_ context.Context, p *protocol.InitializeRequestParams) (protocol.InitializeReply, error) {
	h.c.Declared.Store(uint32(call.CapabilitiesOf(&p.Capabilities, h.rev)))
	if x := h.c.s.extensions; x != nil {
		set, settings := x.DeclaredBy(&p.Capabilities)
		h.c.Settings.Store(settings)
		h.c.Extensions.Store(uint32(set))
	}
	if h.c.s.opts.Audit != nil {
		h.c.legacy.extra.client.Store(new(clientText(&p.ClientInfo)))
	}
	h.c.legacy.revision.Store(uint32(h.rev))
	s := h.c.s
	if s.tasks != nil {
		return initializeResultFor((*worker)(h)), nil
	}
	return s.prepared.initialize.get(h.rev, s.initializeResult), nil
}

func (s *Server) initializeResult(rev protocol.Revision) protocol.Prepared {
	return initializeResultWith(s, rev, s.features.CapabilitiesIn(rev))
}

// initializeResultFor is initializeResult for a server whose capabilities depend on the client.
func initializeResultFor(w *worker) protocol.Prepared {
	s := w.c.s
	c := s.features.CapabilitiesIn(w.rev)
	s.tasks.capabilities(w, &c)
	return initializeResultWith(s, w.rev, c)
}

func initializeResultWith(s *Server, rev protocol.Revision, c protocol.ServerCapabilities) protocol.Prepared {
	r := protocol.InitializeResult{
		ProtocolVersion: rev.String(),
		Capabilities:    c,
		ServerInfo:      s.features.Info,
		Instructions:    s.features.Instructions,
	}
	return r.AppendJSON(nil, rev)
}
