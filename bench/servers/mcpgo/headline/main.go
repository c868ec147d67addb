// Command headline serves the guarded server of package mcpgo on stdio.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
)

func main() {
	grant := server.WithStdioContextFunc(func(ctx context.Context) context.Context {
		return mcpgo.WithScopes(ctx, work.Granted)
	})
	if err := server.ServeStdio(mcpgo.Guarded(), grant); err != nil {
		log.Fatal(err)
	}
}
