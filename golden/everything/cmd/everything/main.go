// Command everything serves all that the official conformance suite asks for, on stdio or with -http.
package main

import (
	"log"

	"github.com/mcpgen/mcpgen/golden/everything"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	srv, err := everything.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	mcphttp.Main(srv)
}
