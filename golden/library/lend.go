package library

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
)

// Copy says which book is meant.
type Copy struct {
	Shelf  Shelf `json:"shelf"`
	Number int   `json:"number"`
}

// Lent is what happened to a book.
type Lent struct {
	Title string `json:"title"`
	// Shelf where the book stands now.
	Shelf string `json:"shelf"`
	No    int    `json:"no"`
}

var errLent = mcp.Public(errors.New("somebody else has it"))

// Lend lends a book.
//
//mcp:tool updates=books:///{shelf}/{number}
func (l *Library) Lend(ctx context.Context, in Copy) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, b := range l.books[in.Shelf] {
		if b.Number == in.Number {
			if b.Lent {
				return errLent
			}
			l.books[in.Shelf][i].Lent = true
			return nil
		}
	}
	return mcp.Public(mcp.ErrNotFound)
}

// State is how a book was found.
//
//mcp:resource uri=states:///{shelf}/{no}{?wet,note} list=none subscribe
//mcp:var note default=none
func State(ctx context.Context, shelf string, no int, wet *bool, note string) (string, error) {
	return shelf, nil
}

// Find looks for a lost book.
//
//mcp:tool updates=states:///{shelf}/{no}{?wet,note},library:///door
func (l *Library) Find(ctx context.Context) (*Lent, error) {
	return &Lent{Title: "Waves", Shelf: "floor", No: 3}, nil
}

// Drop has a result of its own.
//
//mcp:tool updates=library:///door
func Drop(ctx context.Context, in Copy) (mcp.ToolResult, error) {
	r := mcp.ToolText("dropped")
	r.IsError = in.Number == 0
	return r, nil
}
