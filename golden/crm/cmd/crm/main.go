// Command crm serves the accounts of an SQLite database over MCP, on stdio or with -http.
package main

import (
	"context"
	"errors"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/crm"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	file := flag.String("db", "crm.sqlite", "file of the database")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(*file, serve); err != nil {
		log.Fatal(err)
	}
}

func run(file string, serve *mcphttp.Command) error {
	ctx := context.Background()
	db, err := crm.Open(ctx, file)
	if err != nil {
		return err
	}
	srv, err := crm.NewCrmServer(crm.CrmImpl{Account: db, DB: db}, nil)
	if err == nil {
		err = serve.Run(ctx, srv)
	}
	return errors.Join(err, db.Close())
}
