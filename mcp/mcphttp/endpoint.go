package mcphttp

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
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

	ids    sealedIDs
	shared *sharing // nil without Options.SessionStore
	// connected says that there may be other replicas, on a bus.
	connected bool
	forwards  forwarding
	byKey     sync.Map // of *session, by sessionKey; only if findByKey

	sse *sseTransport // nil without Options.SSE

	sessions *sessionTable
	live     atomic.Int64 // sessions
	// While there are sessions, a timer for each of these runs.
	sweeping, reviewing atomic.Bool
	crowded             bool       // see review
	room                sync.Mutex // held while idle sessions make room for another
}

// stopping reports whether the server has begun to close.
func (h *handler) stopping() bool {
	select {
	case <-h.srv.Stopping():
		return true
	default:
		return false
	}
}
