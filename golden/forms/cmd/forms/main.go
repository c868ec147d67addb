// Command forms serves tools that check what they are given over MCP, on stdio or with -http.
package main

import (
	"log"

	"github.com/mcpgen/mcpgen/golden/forms"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	srv, err := forms.NewFormsServer(forms.FormsImpl{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	mcphttp.Main(srv)
}
