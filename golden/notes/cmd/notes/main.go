// Command notes serves the Markdown files of a directory over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	dir := flag.String("dir", ".", "directory of the notes")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(*dir, serve); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, serve *mcphttp.Command) error {
	n, err := notes.Open(dir)
	if err != nil {
		return err
	}
	defer n.Close()
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go n.Follow(ctx, srv)
	return serve.Run(ctx, srv)
}
