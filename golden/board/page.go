package board

import (
	"context"
	"embed"
)

// Page shows the cards of the board, and moves them.
//
//go:embed app
//mcp:app uri=ui://board/cards name=cards title="Card board" border
var Page embed.FS

// View is the board as the page gets it.
type View struct {
	Columns []ViewColumn `json:"columns"`
}

// ViewColumn is a column of a View.
type ViewColumn struct {
	Name  Column     `json:"name"`
	Cards []ViewCard `json:"cards"`
}

// ViewCard is a card of a View.
type ViewCard struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
}

// ShowBoard shows all cards of the board by column. Clients that display apps show the board itself.
//
//mcp:tool readonly closed ui=ui://board/cards
func (d *Desk) ShowBoard(ctx context.Context) (View, error) { return d.view(), nil }

// Refresh gives the page the cards of the board again, after it has moved one.
//
//mcp:tool readonly closed ui=ui://board/cards visibility=app
func (d *Desk) Refresh(ctx context.Context) (View, error) { return d.view(), nil }

func (d *Desk) view() View {
	v := View{Columns: []ViewColumn{{Name: Todo}, {Name: Done}}}
	for key, card := range d.Cards.All() {
		for i := range v.Columns {
			if c := &v.Columns[i]; c.Name == key.Column {
				c.Cards = append(c.Cards, ViewCard{Number: key.No, Title: card.Title, Body: card.Body})
			}
		}
	}
	return v
}
