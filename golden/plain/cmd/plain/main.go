// Command plain serves tools with plain arguments and results over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/plain"
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
	srv, err := plain.NewPlainServer(plain.PlainImpl{}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
