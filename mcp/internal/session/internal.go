package session

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Internal is a request that the server makes itself, to run the handler of a task.
type Internal struct {
	ID       wire.ID
	Method   string
	Revision protocol.Revision // one whose requests stand alone
	// Target and Meta are for observers: the name of the feature, and the _meta as JSON.
	Target string
	Meta   []byte
	// Answer answers the request by h, the handler of w. It returns b with the result appended, or the error of the
	// response.
	Answer func(w *Worker, h Handler, b []byte) ([]byte, error)
	// Fault is the error of the response; nil for none. The Host sets it before the response is written. It is also set
	// for a result that says that a limit was exceeded.
	Fault *wire.Error
}

// fails sets the Fault of r. It does nothing if r is nil, as it is for requests of clients.
func (r *Internal) fails(fault *wire.Error) {
	if r != nil {
		r.Fault = fault
	}
}
