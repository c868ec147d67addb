// Package ours is the small server of the comparison, made with mcpgen.
//
//mcp:server name=bench version=1.0.0
package ours

import (
	"context"
	_ "embed"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Fixed holds 64 KiB that never change.
//
//go:embed fixed.bin
//mcp:resource uri=bench:///fixed mime=application/octet-stream
var Fixed []byte

// Text returns 1 KiB of text.
//
//mcp:resource uri=bench:///text mime=text/markdown
func Text(ctx context.Context) (string, error) { return work.Text(), nil }

// Blob returns 64 KiB of bytes.
//
//mcp:resource uri=bench:///blob mime=application/octet-stream
func Blob(ctx context.Context) ([]byte, error) { return work.Blob(), nil }

// Item returns the name it was asked for.
//
//mcp:resource uri=item:///{id}/text mime=text/plain list=none
func Item(ctx context.Context, id string) (string, error) { return id, nil }

// Search finds things.
//
//mcp:tool readonly
func Search(ctx context.Context, in work.In) (work.Out, error) { return work.Search(in), nil }
