package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Names of headers, as net/http spells them.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
	paramPrefix   = "Mcp-Param-"
	lastEvent     = "Last-Event-Id"
)

// Header values that never change, so that they cost nothing.
var (
	jsonType  = []string{"application/json"}
	eventType = []string{"text/event-stream"}
	noStore   = []string{"no-store"}
	noSniff   = []string{"nosniff"}
	unbuffer  = []string{"no"}
)

// methodListen is the request whose answer is a stream.
const methodListen = protocol.MethodSubscriptionsListen

// methodTasksUpdate is a method of the extension io.modelcontextprotocol/tasks, whose package only servers with tasks
// are linked with.
const methodTasksUpdate = "tasks/update"

// unambiguous refuses a request of a session that says twice which session, revision or event it means: what has passed
// it on may have decided by the other one.
func unambiguous(r *http.Request) *refusal {
	switch {
	case len(r.Header[sessionHeader]) > 1:
		return &refusal{http.StatusBadRequest, "Mcp-Session-Id is given twice"}
	case len(r.Header[versionHeader]) > 1:
		return &refusal{http.StatusBadRequest, "MCP-Protocol-Version is given twice"}
	case len(r.Header[lastEvent]) > 1:
		return &refusal{http.StatusBadRequest, "Last-Event-ID is given twice"}
	}
	return nil
}
