package session

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// Filter is a member of the filter of subscriptions/listen that an extension of the protocol has added.
type Filter struct {
	// Name is the name of the member.
	Name string
	// Accept reads value, the member of the current request. It returns the topics of the listen, and the value of the
	// member in the acknowledgement to the client. If granted is nil, the acknowledgement lacks the member. An error is
	// the response, and the listen does not begin.
	Accept func(w *Worker, value []byte) (topics []pubsub.Request, granted json.RawMessage, err error)
}
