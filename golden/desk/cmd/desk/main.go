// Command desk serves the prompts of a help desk over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"
	"strings"

	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	only := flag.String("tags", "", "offer only what has one of these `tags`, such as public,staff")
	flag.Parse()
	var opts mcp.Options
	if *only != "" {
		opts.OnlyTags = strings.Split(*only, ",")
	}
	if err := run(serve, &opts); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command, opts *mcp.Options) error {
	d := &desk.Desk{
		Tickets: []desk.Ticket{{Project: "OPS", Number: 1, Title: "Printer", Body: "It does not print.", Open: true}},
		Photo:   []byte("PNG"), Call: []byte("WAV"),
	}
	srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, opts)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
