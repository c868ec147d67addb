// Package library serves the catalogue of a library. Its declarations use the parts of the grammar that
// the other examples do without.
//
//mcp:server name=library version=1.0.0 desc="A catalogue of books." split
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
	return fmt.Sprintf("%s: shelf %s, book %d, page %d, %g times", call.URI(), page.Shelf, page.BookID, first,
		page.Scale), nil
}

// Guide is only for clients that know icons.
//
//mcp:resource uri=library:///guide
//mcp:availability proto=2025-11-25..
func Guide(ctx context.Context) (string, error) { return "Turn left.", nil }

// Old is what older clients get instead.
//
//mcp:resource uri=old:///{name} list=none
//mcp:availability proto=..2025-06-18
func Old(ctx context.Context, name Shelf) (string, error) {
	return "Ask for " + string(name) + ".", nil
}

// Exhibition is shown from time to time.
//
//mcp:resource uri=library:///exhibition subscribe
//mcp:alias uri=house:///exhibition
//mcp:limit rate=20/h by=global
//mcp:allow MCP503 it only comes and goes
//mcp:toggle
func Exhibition(ctx context.Context) (string, error) { return "maps", nil }

// Picture is a picture of the exhibition.
//
//mcp:resource uri=pictures:///{number} list=none subscribe
//mcp:allow MCP503 it only comes and goes
//mcp:toggle
func Picture(ctx context.Context, number int) (string, error) { return fmt.Sprint(number), nil }

// Vote is for one picture, while there are some.
//
//mcp:tool
//mcp:toggle
//mcp:availability proto=2025-03-26..
func Vote(ctx context.Context) error { return nil }
