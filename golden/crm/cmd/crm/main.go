// Command crm serves the accounts of an SQLite database over MCP on stdio.
package main

import (
	"context"
	"errors"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/crm"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	file := flag.String("db", "crm.sqlite", "file of the database")
	flag.Parse()
	if err := run(*file); err != nil {
		log.Fatal(err)
	}
}

func run(file string) error {
	ctx := context.Background()
	db, err := crm.Open(ctx, file)
	if err != nil {
		return err
	}
	srv, err := crm.NewCrmServer(crm.CrmImpl{Account: db, DB: db}, nil)
	if err == nil {
		err = srv.Serve(ctx, stdio.New(nil))
	}
	return errors.Join(err, db.Close())
}
