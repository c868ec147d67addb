package mcphttp

import (
	"log/slog"

	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/shared"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sse"
)

// handler is the endpoint of a server.
type handler struct {
	srv    *server.Server
	opts   Options
	log    *slog.Logger
	counts *server.Counters
	// admit decides who gets a place.
	admit  *limits.Admission
	bodies *limits.Bodies
	opener *eventlog.Opener

	// What strangers can have logged.
	hostsRefused, originsRefused, callersRefused, callersLate safelog.Sparse

	sse *sse.Handler // nil without Options.SSE

	sessions *sessions.Set
	replicas *shared.Replicas
}
