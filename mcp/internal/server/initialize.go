package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Initialize implements protocol.ServerHandler. The revision was negotiated by admitInitialize.
func (w *handler) Initialize(_ context.Context, p *protocol.InitializeRequestParams) (protocol.InitializeReply, error) {
	w.Conn.Declared.Store(uint32(call.CapabilitiesOf(&p.Capabilities, w.Rev)))
	if x := w.s.extensions; x != nil {
		set, settings := x.DeclaredBy(&p.Capabilities)
		w.Conn.Settings.Store(settings)
		w.Conn.Extensions.Store(uint32(set))
	}
	w.Conn.Begin(w.Rev, &p.ClientInfo)
	s := w.s
	if s.tasks != nil {
		return initializeResultFor(w), nil
	}
	return s.prepared.initialize.Get(w.Rev, s.initializeResult), nil
}

func (s *Server) initializeResult(rev protocol.Revision) protocol.Prepared {
	return initializeResultWith(s, rev, s.features.CapabilitiesIn(rev))
}

// initializeResultFor is initializeResult for a server whose capabilities depend on the client.
func initializeResultFor(w *handler) protocol.Prepared {
	s := w.s
	c := s.features.CapabilitiesIn(w.Rev)
	s.tasks.Declare(&c, w.Rev, w.Worker)
	return initializeResultWith(s, w.Rev, c)
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
