// Command guides serves skills over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/guides"
	"github.com/mcpgen/mcpgen/golden/guides/ops"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
	o, err := ops.NewOpsServer(ops.OpsImpl{}, nil)
	if err != nil {
		return err
	}
	srv, err := guides.NewGuidesServer(guides.GuidesImpl{Ops: o}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
