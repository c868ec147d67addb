package session

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// Filter is a member of the filter of subscriptions/listen that an extension of the protocol has added.
type Filter struct {
	// Name is the member.
	Name string
	// Accept reads value, the member of the request at hand. It returns what the listen gets: the topics, and the value
	// that the client is told. The client is not told the member if granted is nil. An error is the response, and there
	// is no listen then.
	Accept func(w *Worker, value []byte) (topics []pubsub.Request, granted json.RawMessage, err error)
}
