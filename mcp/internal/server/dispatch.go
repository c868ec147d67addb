package server

import (
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// Request implements [session.Handler].
func (w *handler) Request(params, b []byte) ([]byte, error) {
	switch s := w.s; {
	case s.tasks != nil && strings.HasPrefix(content.AsString(w.Method), taskMethods):
		return s.tasks.dispatch(w, params, b) // tasks/update is other to the protocol itself
	case s.extensions != nil && w.Number.IsOther():
		return s.extensions.request(w, params, b)
	}
	return protocol.Dispatch(w.Values(), w, w.Rev, w.Method, w.Decoder(params), b)
}

// Notification implements [session.Handler].
func (w *handler) Notification(method, params []byte) {
	if x := w.s.extensions; x != nil && x.Notifies(method) {
		x.notification(w, method, params)
		return
	}
	if err := protocol.DispatchNotification(w.Values(), w, w.Rev, method, w.Decoder(params)); err != nil {
		w.Conn.Log.Debug("mcp: notification ignored", "method", string(method), "err", err)
	}
}

// Offers implements [session.Handler].
func (w *handler) Offers(k feature.Kind, name string) bool {
	if k == feature.KindPrompt {
		return w.s.prompt(name, w.Rev) != nil
	}
	return w.s.tool(name, w.Rev) != nil
}

// ToolFailed implements [session.Handler].
func (w *handler) ToolFailed() bool { return w.pipeline.ToolFailed() }
