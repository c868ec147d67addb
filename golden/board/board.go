// Package board serves the cards of a board, which live in the program, the files attached to them,
// and the people who work on them, who live in a directory elsewhere.
//
//mcp:server name=board version=1.0.0 title="Card board"
package board

import (
	"context"
	"errors"
	"time"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Column is a part of the board.
//
//mcp:enum
type Column string

// The columns.
const (
	Todo Column = "todo"
	Done Column = "done"
)

// Card is one thing to do.
//
//mcp:resource uri=board:///{column}/{number} mime=text/markdown list subscribe
//mcp:var number min=1
type Card struct {
	Column  Column    `mcp:"key"`
	No      int       `mcp:"key,number"`
	Title   string    `mcp:"title"`
	Body    string    `mcp:"text"`
	Changed time.Time `mcp:"modified"`
}

// Meta is what all attachments have.
type Meta struct {
	Name string `mcp:"key"`
	Type string `mcp:"mime"`
}

// Attachment is a file of a card.
//
//mcp:resource uri=files:///{name} store subscribe
type Attachment struct {
	Meta
	Data     []byte   `mcp:"blob"`
	Label    string   `mcp:"name"`
	About    string   `mcp:"desc"`
	Original uint32   `mcp:"size"`
	Weight   float64  `mcp:"priority"`
	For      []string `mcp:"audience"`
}

// Person works on cards.
//
//mcp:resource uri=people:///{team}/{id} source list subscribe poll=30s
type Person struct {
	Team string `json:"team" mcp:"key"`
	ID   int64  `json:"id" mcp:"key"`
	Name string `json:"name" mcp:"title"`
}

// Report is made from the cards. Whether it has changed is found out by reading it.
//
//mcp:resource uri=board:///report subscribe poll=1m
func (d *Desk) Report(ctx context.Context) (map[Column]int, error) {
	count := map[Column]int{}
	for key := range d.Cards.All() {
		count[key.Column]++
	}
	return count, nil
}

// Desk is where cards are moved.
type Desk struct {
	Cards *CardStore
	Now   func() time.Time
}

// MoveIn says which card goes where.
type MoveIn struct {
	// Number of a card in another column.
	Number int `json:"number"`
	// Column that the card goes to.
	To Column `json:"to"`
}

// Move puts a card into another column.
//
//mcp:tool
func (d *Desk) Move(ctx context.Context, in MoveIn) error {
	for key, card := range d.Cards.All() {
		if key.No == in.Number && key.Column != in.To {
			card.Column, card.Changed = in.To, d.Now()
			d.Cards.Delete(key)
			return d.Cards.Put(card)
		}
	}
	return errors.New("no such card in another column")
}
