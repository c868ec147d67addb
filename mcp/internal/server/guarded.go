package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// within runs op, code of the user for call, within the limits and the middleware of g.
func (w *worker) within(call *call.Call, g *Guard, op operation) error {
	used, err := w.c.s.take(g, call)
	if err != nil {
		return err
	}
	defer used.leave()
	if d := g.Limit.Timeout; d > 0 {
		defer call.ExpireAfter(d).Stop()
	}
	w.maxResult = g.Limit.Bytes
	return g.around(call, op)
}
