// Command depot serves a depot and its incidents over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/depot"
	"github.com/mcpgen/mcpgen/golden/incidents"
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
	srv, err := depot.New(incidents.NewOps(), nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
