package server

import (
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
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

// fits returns the response that w has made, without its last brace, or what is sent if that is too large.
func (w *worker) fits(out []byte) ([]byte, error) {
	size := int64(wire.SizeOf(out, w.inserts) - len(wire.AppendResult(nil, w.id)))
	if w.maxResult == 0 || size <= w.maxResult {
		return out, nil
	}
	text := fmt.Sprintf("the result has %d bytes: at most %d are sent", size, w.maxResult)
	if string(w.method) != protocol.MethodToolsCall {
		return nil, call.LimitError(w.call, text, 0)
	}
	w.inserts = w.inserts[:0]
	failure := w.call.AppendFailure(w.out[:0], text)
	return failure[:len(failure)-1], nil
}
