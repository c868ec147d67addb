// Command ask serves the travel desk over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/ask"
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
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
