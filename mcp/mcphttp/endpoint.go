package mcphttp

import (
	"log/slog"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/shared"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sse"
)

// handler is the endpoint of a server. The way of a request through it:
//
//  1. serve refuses unknown hosts and web pages (guard.go) and answers preflights (cors.go); admitted asks who calls
//     (authenticate.go).
//  2. post reads the body, takes a place, and finds out by the body which era the message is of.
//  3. A request that stands alone goes to modern, which compares its headers with its body (mirror.go).
//  4. Others go to legacy: initialize makes a session, all others find theirs. GET continues a stream of it (get.go).
//  5. The server handles the message. What it sends comes back through a postWriter, which makes one JSON response, or
//     a stream of events once something comes before the response.
//  6. HTTP+SSE has a handler of its own, after step 1.
type handler struct {
	srv    *server.Server
	opts   Options
	log    *slog.Logger
	counts *counters.Counters
	// admit decides who gets a place.
	admit  *limits.Admission
	bodies *limits.Bodies
	opener *eventlog.Opener

	guard   guard
	callers authenticator
	inner   http.Handler // admitted, in Options.Middleware

	sse *sse.Handler // nil without Options.SSE

	sessions *sessions.Set
	replicas *shared.Replicas
}
