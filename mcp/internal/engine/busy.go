package engine

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// tryAgain says to clients in how many milliseconds they may repeat a request.
var tryAgain = json.RawMessage(`{"retryAfterMs":5000}`)

// Busy returns the error of a request for which there is no room at present; the client may try again later. The text
// of the error has reason behind "busy: ". Some transports have a status for such an error: see [Refuser].
func Busy(reason string) *wire.Error {
	return &wire.Error{Code: wire.CodeInternal, Message: "busy: " + reason + ": try again later", Data: tryAgain}
}

// IsBusy reports whether e is an error of [Busy].
func IsBusy(e *wire.Error) bool {
	return e.Code == wire.CodeInternal && string(e.Data) == string(tryAgain)
}

// Refuser is a [ResponseWriter] of a transport with a signal of its own for a request that found no room, such as
// status 503 of HTTP.
type Refuser interface {
	// Refuse says that the response that comes next is an error of [Busy].
	Refuse()
}
