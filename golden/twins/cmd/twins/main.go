// Command twins serves the shop over MCP, on stdio or with -http; with -office its back office.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/twins"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	office := flag.Bool("office", false, "serve the back office")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	srv, err := server(*office)
	if err != nil {
		log.Fatal(err)
	}
	if err := serve.Run(context.Background(), srv); err != nil {
		log.Fatal(err)
	}
}

func server(office bool) (*mcp.Server, error) {
	products, book := twins.NewProductStore(), new(twins.Book)
	if err := products.Put(twins.Product{ID: "lamp", Name: "A lamp", Stock: 3}); err != nil {
		return nil, err
	}
	book.Add(twins.Review{Author: "ada", Text: "Bright.\n", Published: true})
	counter := &twins.Counter{Products: products}
	if office {
		srv, err := twins.NewBackOfficeServer(twins.BackOfficeImpl{Product: products, Counter: counter, Book: book}, nil)
		if err != nil {
			return nil, err
		}
		return srv.Server, nil
	}
	srv, err := twins.NewShopServer(twins.ShopImpl{Product: products, Counter: counter, Book: book}, nil)
	if err != nil {
		return nil, err
	}
	return srv.Server, nil
}
