// Package suite is one server made of servers that have an app, skills, an extension of their own and tasks.
//
//mcp:server name=suite version=1.0.0 mount=table.=./sheets,../guides/ops,../search,work.=../jobs
package suite

import (
	"context"
	"embed"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen ./...

// Skills are those of this server, beside those of a mounted one.
//
//go:embed skills
//mcp:skill tags=manual
var Skills embed.FS

// Totals sums up the sheets. Clients that display apps show the page of the server that has them.
//
//mcp:tool ui=ui://sheets/table tags=basic readonly closed
//mcp:allow MCP615 programs with basic tools only show texts
func Totals(context.Context) (string, error) { return "42", nil }
