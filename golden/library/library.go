// Package library serves the catalogue of a library. Its declarations use the parts of the grammar that
// the other examples do without.
//
//mcp:server name=library version=v1.0.0 desc="A catalogue of books."
package library

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Motto is what stands above the door.
//
//mcp:resource uri=library:///motto mime=text/markdown
const Motto = "*Read slowly.*"

// Rules is a type of its own.
type Rules string

// House are the rules of the house.
//
//mcp:resource uri=library:///rules
const House Rules = "Keep quiet."

// Page says which part of a book is meant.
type Page struct {
	// Shelf is where the book stands.
	Shelf Shelf
	// BookID is its number on the shelf.
	BookID uint16
	// Scale of the picture.
	Scale float64
	from  *int
}

// Scan returns the picture of a page. Its variables are the fields of a struct, and its query takes
// nothing else.
//
//mcp:resource uri=scans:///{shelf}/{book_id}{?scale,first} list=none strict
//mcp:var scale default=1 min=0.5 max=4
//mcp:var first param=from
func (l *Library) Scan(ctx context.Context, page Page, call *mcp.Call) (string, error) {
	first := 1
	if page.from != nil {
		first = *page.from
	}
	return fmt.Sprintf("%s: shelf %s, book %d, page %d, %g times", call.URI(), page.Shelf, page.BookID, first, page.Scale), nil
}
