// Command library serves a library over MCP, on stdio or with -http.
package main

import (
	"log"

	"github.com/mcpgen/mcpgen/golden/library"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	srv, err := library.NewLibraryServer(library.LibraryImpl{Library: library.New()}, nil)
	if err != nil {
		log.Fatal(err)
	}
	mcphttp.Main(srv)
}
