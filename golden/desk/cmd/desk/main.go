// Command desk serves the prompts of a help desk over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/mcp/transport/streamable"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
	d := &desk.Desk{
		Tickets: []desk.Ticket{{Project: "OPS", Number: 1, Title: "Printer", Body: "It does not print.", Open: true}},
		Photo:   []byte("PNG"), Call: []byte("WAV"),
	}
	srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
