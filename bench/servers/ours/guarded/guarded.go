// Package guarded is the server of the headline rows, made with mcpgen: its callers need a scope, and its calls have a
// time limit.
//
//mcp:server name=bench version=1.0.0
//mcp:access scopes=bench.read
//mcp:limit timeout=500ms
package guarded

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/mcp"
)

// Text returns 1 KiB of text.
//
//mcp:resource uri=bench:///text mime=text/markdown
func Text(ctx context.Context) (string, error) { return work.Text(), nil }

// Blob returns 64 KiB of bytes.
//
//mcp:resource uri=bench:///blob mime=application/octet-stream
func Blob(ctx context.Context) ([]byte, error) { return work.Blob(), nil }

// LargeText returns 16 MiB of text.
//
//mcp:resource uri=bench:///large/text mime=text/markdown
func LargeText(ctx context.Context) (string, error) { return work.LargeText(), nil }

// LargeBlob returns 16 MiB of bytes.
//
//mcp:resource uri=bench:///large/blob mime=application/octet-stream
func LargeBlob(ctx context.Context) ([]byte, error) { return work.LargeBlob(), nil }

// News returns 1 KiB of text that changes.
//
//mcp:resource uri=bench:///news mime=text/markdown subscribe
func News(ctx context.Context) (string, error) { return work.Text(), nil }

// Search finds things.
//
//mcp:tool readonly
func Search(ctx context.Context, in work.In) (work.Out, error) { return work.Search(in), nil }

// Caller is who the clients are: over stdio from the start, over HTTP by the token of each request.
var Caller = mcp.Caller{Subject: work.Subject, Scopes: work.Granted}

// New returns the server with the logger of the headline rows. An updateDelay of 0 is the default.
func New(updateDelay time.Duration) (*BenchServer, error) {
	return NewBenchServer(BenchImpl{}, &mcp.Options{Logger: work.Logger(), Caller: Caller, UpdateDelay: updateDelay})
}
