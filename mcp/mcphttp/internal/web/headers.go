package web

import (
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Path is the path of Streamable HTTP in a program of this module.
const Path = "/mcp"

// Names of headers, as net/http spells them.
const (
	VersionHeader   = "Mcp-Protocol-Version"
	SessionHeader   = "Mcp-Session-Id"
	MethodHeader    = "Mcp-Method"
	NameHeader      = "Mcp-Name"
	ParamPrefix     = "Mcp-Param-"
	LastEventHeader = "Last-Event-Id"
)

// Header values that all responses share, so that a response allocates nothing for them. They must not be changed.
var (
	jsonType  = []string{"application/json"}
	EventType = []string{"text/event-stream"}
	NoStore   = []string{"no-store"}
	NoSniff   = []string{"nosniff"}
	Unbuffer  = []string{"no"}
	Close     = []string{"close"}
)

// Unambiguous refuses a request of a session that has a header for the session, the revision or the event twice: a
// proxy may have used the other value.
func Unambiguous(r *http.Request) *Refusal {
	switch {
	case len(r.Header[SessionHeader]) > 1:
		return NewRefusal(http.StatusBadRequest, "Mcp-Session-Id is given twice")
	case len(r.Header[VersionHeader]) > 1:
		return NewRefusal(http.StatusBadRequest, "MCP-Protocol-Version is given twice")
	case len(r.Header[LastEventHeader]) > 1:
		return NewRefusal(http.StatusBadRequest, "Last-Event-ID is given twice")
	}
	return nil
}

// IsModern reports whether the header MCP-Protocol-Version names a revision without sessions.
func IsModern(r *http.Request) bool {
	versions := r.Header[VersionHeader]
	return len(versions) == 1 && versions[0] != "" && session.ModernVersion(versions[0])
}
