// Package sheets has a table, and a page that shows it.
//
//mcp:server name=sheets version=1.0.0
package sheets

import (
	"context"
	_ "embed" // the page
)

// Table shows the rows that a tool returns.
//
//go:embed table.html
//mcp:app uri=ui://sheets/table tags=page
var Table string

// Sheet is a table.
type Sheet struct {
	Rows []Row `json:"rows"`
}

// Row is a row of it.
type Row struct {
	Name   string `json:"name"`
	Amount int    `json:"amount"`
}

// Show returns the rows of the table.
//
//mcp:tool ui=ui://sheets/table tags=basic readonly closed
//mcp:allow MCP615 programs with basic tools only show texts
func Show(context.Context) (Sheet, error) {
	return Sheet{Rows: []Row{{"rent", 40}, {"tea", 2}}}, nil
}

// Reload gives the page the rows again.
//
//mcp:tool ui=ui://sheets/table visibility=app tags=basic readonly closed
//mcp:allow MCP615 programs with basic tools only show texts
func Reload(ctx context.Context) (Sheet, error) { return Show(ctx) }
