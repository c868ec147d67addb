// Command stock serves two items over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/stock"
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
	items := stock.NewItemStore()
	for _, item := range stock.Examples() {
		if err := items.Put(item); err != nil {
			return err
		}
	}
	srv, err := stock.NewStockServer(stock.StockImpl{Item: items, Shop: &stock.Shop{Items: items}}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
