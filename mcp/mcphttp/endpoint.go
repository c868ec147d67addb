package mcphttp

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// handler is the endpoint of a server.
type handler struct {
	srv  *server.Server
	opts Options
	log  *slog.Logger
	// perSubject is how many streams one subject may have.
	perSubject int

	bodies  sync.Pool    // of *[]byte
	streams atomic.Int64 // open now
	running atomic.Int64 // POST requests under way
	asking  atomic.Int64 // calls of Options.Authenticate that have not returned

	mu       sync.Mutex
	sessions map[string]*session
	clients  map[string]*usage // who has sessions or streams
	waiting  int               // requests that wait for a person
	sweeper  *time.Timer       // runs while there are sessions
	sweeping bool
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
