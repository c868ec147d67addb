package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// appsExtension is the identifier of the extension with which servers have pages that clients display.
	appsExtension = "io.modelcontextprotocol/ui"
	// appType is the media type of such a page.
	appType = "text/html;profile=mcp-app"
)

// hasApps reports whether a client displays apps: it declares the extension, in the handshake of any revision or in a
// request of 2026-07-28, with the media type of apps among those that it displays.
func hasApps(c *protocol.ClientCapabilities) bool {
	settings, ok := extensionOf(c, appsExtension)
	if !ok {
		return false
	}
	list, _ := wire.Lookup(settings, "mimeTypes")
	d := wire.NewDecoder(list)
	if d.Kind() != wire.KindArray || !d.Array() {
		return false
	}
	for d.More() {
		if d.Kind() != wire.KindString {
			d.Skip()
		} else if d.String() == appType {
			return true
		}
	}
	return false
}

// extensionOf returns the settings of an extension that a client declares. The types of package protocol may be of a
// time when capabilities had no such member.
func extensionOf(c *protocol.ClientCapabilities, id string) ([]byte, bool) {
	if settings, ok := c.Extensions.Get(id); ok {
		return settings, true
	}
	all, _ := c.Extra.Get(memberExtensions)
	return wire.Lookup(all, id)
}

// canApps reports whether the client of a request whose _meta is given displays apps.
func (w *worker) canApps(meta *protocol.RequestMetaObject) bool {
	if !era.IsModern(w.rev) {
		return ClientCapability(w.c.legacy.declared.Load())&Apps != 0
	}
	return meta != nil && meta.ClientCapabilities != nil && hasApps(meta.ClientCapabilities)
}
