// Command headline serves the guarded server of package sdk on stdio.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/sdk"
)

func main() {
	if err := sdk.Guarded(work.Granted).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
