package engine

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// tryAgain says to clients in how many milliseconds they may repeat a request.
var tryAgain = json.RawMessage(`{"retryAfterMs":5000}`)

// Busy returns the error of a request for which there is no room at present. what says of what there is too much. A
// transport that has a status for it uses it: see [Refuser].
func Busy(what string) *wire.Error {
	return &wire.Error{Code: wire.CodeInternal, Message: "busy: " + what + ": try again later", Data: tryAgain}
}

// IsBusy reports whether e is an error of [Busy].
func IsBusy(e *wire.Error) bool {
	return e.Code == wire.CodeInternal && string(e.Data) == string(tryAgain)
}

// Refuser is a [ResponseWriter] of a transport that can say beside the response that there was no room for the request,
// such as HTTP with status 503.
type Refuser interface {
	// Refuse says that the response that comes next is an error of [Busy].
	Refuse()
}
