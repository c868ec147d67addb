package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// ListResources implements protocol.ServerHandler.
func (w *handler) ListResources(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListResourcesReply,
	error) {
	s := w.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	return s.lists.ListResources(w.Worker, &w.page, p.Cursor)
}

// ListResourceTemplates implements protocol.ServerHandler.
func (w *handler) ListResourceTemplates(_ context.Context,
	p *protocol.PaginatedRequestParams) (protocol.ListResourceTemplatesReply, error) {
	s := w.s
	if s.features.Capabilities.Resources == nil {
		return nil, feature.ErrNoMethod
	}
	return s.lists.ListTemplates(w.Worker, p.Cursor)
}
