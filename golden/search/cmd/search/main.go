// Command search serves an extension of its own over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
	index := search.NewIndex(
		search.Page{Name: "start", Text: "welcome to the pages"}, search.Page{Name: "help", Text: "how to search the pages"},
	)
	srv, err := search.NewSearchServer(search.SearchImpl{Index: index}, nil)
	if err != nil {
		return err
	}
	index.OnChange = srv.PublishChanged
	return serve.Run(context.Background(), srv)
}
