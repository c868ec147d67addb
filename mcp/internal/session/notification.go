package session

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// notificationIDs numbers the notifications that are handled like requests, because the table of calls needs an id for
// each.
var notificationIDs atomic.Int64

// RunNotification handles the current notification by f, like a request without a response. The limits of requests
// apply, and if f takes long, another goroutine reads the next messages.
func (w *Worker) RunNotification(method, params []byte, f func(b []byte) ([]byte, error)) {
	to := w.Responder
	w.Responder = call.NoResponse{Responder: to}
	defer func() { w.Responder = to }()
	w.ID = wire.LocalID(notificationIDs.Add(1))
	w.Method, w.Number = method, w.host.Counts.NumberOf(method)
	w.Run(params, f)
}
