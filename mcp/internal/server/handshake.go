package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// Initialize implements protocol.ServerHandler. The revision was already negotiated by Eras.Admit of package engine.
func (h *handler) Initialize(_ context.Context, p *protocol.InitializeRequestParams) (protocol.InitializeReply, error) {
	h.Conn.Declared.Store(uint32(call.CapabilitiesOf(&p.Capabilities, h.Rev)))
	if x := h.s.extensions; x != nil {
		set, settings := x.DeclaredBy(&p.Capabilities)
		h.Conn.Settings.Store(settings)
		h.Conn.Extensions.Store(uint32(set))
	}
	h.Conn.Begin(h.Rev, &p.ClientInfo)
	s := h.s
	if s.tasks != nil {
		return initializeResultFor(h), nil
	}
	return s.prepared.initialize.Get(h.Rev, s.initializeResult), nil
}

func (s *Server) initializeResult(rev protocol.Revision) protocol.Prepared {
	return initializeResultWith(s, rev, s.features.CapabilitiesIn(rev))
}

// initializeResultFor is initializeResult for a server with tasks, whose capabilities depend on the client.
func initializeResultFor(h *handler) protocol.Prepared {
	s := h.s
	c := s.features.CapabilitiesIn(h.Rev)
	s.tasks.Declare(&c, h.Rev, h.Worker)
	return initializeResultWith(s, h.Rev, c)
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

// Discover implements protocol.ServerHandler.
func (h *handler) Discover(context.Context, *protocol.RequestParams) (protocol.DiscoverReply, error) {
	s := h.s
	return s.prepared.discover.Get(h.Rev, s.discoverResult), nil
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

// canApps reports whether the client declares that it displays apps: in meta, the _meta of the request, or in the
// handshake of a legacy session.
func (h *handler) canApps(meta *protocol.RequestMetaObject) bool {
	if !era.IsModern(h.Rev) {
		return call.ClientCapability(h.Conn.Declared.Load())&call.Apps != 0
	}
	return meta != nil && meta.ClientCapabilities != nil && call.HasApps(meta.ClientCapabilities)
}
