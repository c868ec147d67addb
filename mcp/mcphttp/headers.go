package mcphttp

import "github.com/mcpgen/mcpgen/generated/protocol"

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
