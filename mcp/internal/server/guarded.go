package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// within runs op, code of the user for call, within the limits and the middleware of g.
func (w *handler) within(call *call.Call, g *access.Guard, op operation) error {
	used, err := w.s.take(g, call)
	if err != nil {
		return err
	}
	if used != nil {
		defer used.Leave()
	}
	if d := g.Limit.Timeout; d > 0 {
		defer call.ExpireAfter(d).Stop()
	}
	w.MaxResult = g.Limit.Bytes
	return g.Around(call, op)
}
