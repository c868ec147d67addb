package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// Initialize implements protocol.ServerHandler. The revision was negotiated by Eras.Admit of package engine.
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

// canApps reports whether the client of a request whose _meta is given displays apps.
func (w *handler) canApps(meta *protocol.RequestMetaObject) bool {
	if !era.IsModern(w.Rev) {
		return call.ClientCapability(w.Conn.Declared.Load())&call.Apps != 0
	}
	return meta != nil && meta.ClientCapabilities != nil && call.HasApps(meta.ClientCapabilities)
}
