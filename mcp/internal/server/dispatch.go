package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// Request implements [session.Handler].
func (w *handler) Request(params, b []byte) ([]byte, error) {
	for _, a := range w.s.attached {
		if out, done, err := a.Request(&w.pipeline, params, b); done {
			return out, err
		}
	}
	return protocol.Dispatch(w.Values(), w, w.Rev, w.Method, w.Decoder(params), b)
}

// Notification implements [session.Handler].
func (w *handler) Notification(method, params []byte) {
	if x := w.s.extensions; x != nil && x.Notifies(method) {
		x.Notification(&w.pipeline, method, params)
		return
	}
	if err := protocol.DispatchNotification(w.Values(), w, w.Rev, method, w.Decoder(params)); err != nil {
		w.Conn.Log.Debug("mcp: notification ignored", "method", string(method), "err", err)
	}
}

// Offers implements [session.Handler].
func (w *handler) Offers(k feature.Kind, name string) bool {
	if k == feature.KindPrompt {
		return w.s.registry.Prompt(name, w.Rev) != nil
	}
	return w.s.tool(name, w.Rev) != nil
}

// ToolFailed implements [session.Handler].
func (w *handler) ToolFailed() bool { return w.pipeline.ToolFailed() }
