// Package next is the next release of the server of package serve: it has one more tool and one more resource.
// Replicas of both run side by side during a rolling update.
//
//mcp:server name=fleet version=1.1.0 mount=../serve
package next

import "context"

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Release says which release answers.
//
//mcp:resource uri=fleet:///release mime=text/plain
func Release(ctx context.Context) (string, error) { return "1.1.0", nil }

// Ping answers.
//
//mcp:tool readonly
func Ping(ctx context.Context) (string, error) { return "pong", nil }
