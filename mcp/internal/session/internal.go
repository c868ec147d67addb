package session

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Internal is a request of the server itself, which no message has brought: the call by which a task runs its handler.
type Internal struct {
	ID       wire.ID
	Method   string
	Revision protocol.Revision // one whose requests stand alone
	// Target and Meta are what an observer is told: the name of the feature, and the _meta as JSON.
	Target string
	Meta   []byte
	// Answer answers it by the handler of the Worker: it returns b with the result, or the error of the response.
	Answer func(w *Worker, h Handler, b []byte) ([]byte, error)
	// Fault is the error of the response once that is written. A result has one if it says that a limit was exceeded.
	Fault *wire.Error
}

// fails notes the error of a response. The receiver is nil for requests of clients.
func (r *Internal) fails(fault *wire.Error) {
	if r != nil {
		r.Fault = fault
	}
}

// Perform handles a request of the server itself for who, as [Host.Exchange] does one of a client.
func (h *Host) Perform(ctx context.Context, r *Internal, who call.Caller, w call.ResponseWriter) {
	x := call.NewHTTPExchange(who, w)
	defer x.Close()
	e := Envelope{own: r}
	e.Message.ID, e.Message.Method = r.ID, []byte(r.Method)
	h.exchange(ctx, &e, x)
}

// internal handles the request of the server itself that w has.
func (w *Worker) internal(m *wire.Message) {
	r := w.own
	w.ID, w.Method, w.Number, w.Rev = m.ID, m.Method, w.Conn.host.Counts.NumberOf(m.Method), r.Revision
	w.Run(nil, func(b []byte) ([]byte, error) { return r.Answer(w, w.handler, b) })
}
