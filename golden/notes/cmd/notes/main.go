// Command notes serves the Markdown files of a directory over MCP on stdio.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	dir := flag.String("dir", ".", "directory of the notes")
	flag.Parse()
	if err := run(*dir); err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
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
	return srv.Serve(ctx, stdio.New(nil))
}
