package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// canApps reports whether the client of a request whose _meta is given displays apps.
func (w *handler) canApps(meta *protocol.RequestMetaObject) bool {
	if !era.IsModern(w.Rev) {
		return call.ClientCapability(w.Conn.Declared.Load())&call.Apps != 0
	}
	return meta != nil && meta.ClientCapabilities != nil && call.HasApps(meta.ClientCapabilities)
}
