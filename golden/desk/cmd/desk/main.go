// Command desk serves the prompts of a help desk over MCP on stdio.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	d := &desk.Desk{
		Tickets: []desk.Ticket{{Project: "OPS", Number: 1, Title: "Printer", Body: "It does not print.", Open: true}},
		Photo:   []byte("PNG"), Call: []byte("WAV"),
	}
	srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, nil)
	if err != nil {
		return err
	}
	return srv.Serve(context.Background(), stdio.New(nil))
}
