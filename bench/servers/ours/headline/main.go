// Command headline serves package guarded on stdio.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/bench/servers/ours/guarded"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

func main() {
	srv, err := guarded.New(0)
	if err == nil {
		err = srv.Serve(context.Background(), stdio.New(nil))
	}
	if err != nil {
		log.Fatal(err)
	}
}
