// Command shapes serves one of every shape over MCP, on stdio or with -http.
package main

import (
	"log"
	"time"

	"github.com/mcpgen/mcpgen/golden/shapes"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	srv, err := shapes.NewShapesServer(shapes.ShapesImpl{
		Clock: &shapes.Clock{Now: time.Now()},
		Shelf: shapes.Shelf{Things: []string{"cup", "pen", "map"}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	mcphttp.Main(srv)
}
