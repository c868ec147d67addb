// Command cmd serves package ours on stdio.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/bench/servers/ours"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

func main() {
	srv, err := ours.NewBenchServer(ours.BenchImpl{}, nil)
	if err == nil {
		err = srv.Serve(context.Background(), stdio.New(nil))
	}
	if err != nil {
		log.Fatal(err)
	}
}
