package work

import (
	"io"
	"log/slog"
	"time"
)

// What the servers of the headline rows do for each read and each call besides the work: they look whether the caller
// has the scope, and bound the time. They have a logger too, which has nothing to say when all goes well.
const (
	// Scope is what callers need.
	Scope = "bench.read"
	// Token is what clients send over HTTP to show who they are.
	Token = "bench"
	// Timeout bounds a read or a call.
	Timeout = 500 * time.Millisecond
)

// Subject is who the clients are.
const Subject = "bench"

// Granted are the scopes of the clients.
var Granted = []string{Scope}

// Logger returns the logger of a headline server.
func Logger() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
