// Command cmd serves package mcpgo on stdio.
package main

import (
	"log"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
)

func main() {
	if err := server.ServeStdio(mcpgo.New()); err != nil {
		log.Fatal(err)
	}
}
