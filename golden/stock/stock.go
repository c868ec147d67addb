// Package stock shows how structs of a program are served: whole, in part, computed, with a version, and from a
// source.
//
//mcp:server name=stock version=1.0.0 title="Stock"
package stock

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Money is an amount in hundredths.
type Money struct {
	Cents    int64  `json:"cents"`
	Currency string `json:"currency"`
}

// Listed is what everything in a list has. Structs embed it.
type Listed struct {
	Name  string `json:"name" mcp:"title"`
	About string `json:"about,omitempty" mcp:"desc"`
}

// Part is one piece of an item, which may have parts itself.
type Part struct {
	Name  string  `json:"name"`
	Parts []*Part `json:"parts,omitempty"`
}

// Item is something that can be bought. Its whole JSON is the content, but for what it costs us.
//
//mcp:resource uri=stock:///items/{shelf}/{sku} list subscribe
//mcp:var shelf min=1
type Item struct {
	Listed
	Shelf int      `json:"shelf" mcp:"key"`
	SKU   string   `json:"sku" mcp:"key"`
	Price Money    `json:"price"`
	Sale  *Money   `json:"sale,omitempty"`
	Parts []*Part  `json:"parts,omitempty"`
	Tags  []string `json:"tags"`
	Cost  Money    `json:"-"`
}

// Label is what stands on the shelf: a part of an item, under an address of its own.
type Label struct {
	Name  string `json:"name"`
	Price Money  `json:"price"`
}

// Page is some values, and how many there are.
type Page[T any] struct {
	Values []T `json:"values"`
	Total  int `json:"total"`
}

// Shop reads the items.
type Shop struct{ Items *ItemStore }

// Label returns the label of an item.
//
//mcp:resource uri=stock:///labels/{shelf}/{sku} list=none
//mcp:var shelf min=1
func (s *Shop) Label(ctx context.Context, shelf int, sku string) (Label, error) {
	item, err := s.item(shelf, sku)
	if err != nil {
		return Label{}, err
	}
	price := item.Price
	if item.Sale != nil {
		price = *item.Sale
	}
	return Label{Name: item.Name, Price: price}, nil
}

// Text returns an item as a line of text.
//
//mcp:resource uri=stock:///text/{shelf}/{sku} mime=text/plain list=none
//mcp:var shelf min=1
func (s *Shop) Text(ctx context.Context, shelf int, sku string) (string, error) {
	item, err := s.item(shelf, sku)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %d.%02d %s\n", item.Name, item.Price.Cents/100, item.Price.Cents%100, item.Price.Currency), nil
}

// Versioned returns an item with its version in _meta. The version is made from the content.
//
//mcp:resource uri=stock:///versioned/{shelf}/{sku} mime=application/json list=none
//mcp:var shelf min=1
func (s *Shop) Versioned(ctx context.Context, shelf int, sku string) (mcp.Content, error) {
	item, err := s.item(shelf, sku)
	if err != nil {
		return mcp.Content{}, err
	}
	text, err := json.Marshal(item)
	if err != nil {
		return mcp.Content{}, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text) // cannot fail
	tag := strconv.Quote(strconv.FormatUint(sum.Sum64(), 36))
	meta := protocol.MetaObject{Extra: wire.Extra{{Name: "com.example/etag", Value: json.RawMessage(tag)}}}
	return mcp.Content{Text: string(text), Meta: &meta}, nil
}

// Cheap returns the items below a price: a generic struct, which is computed.
//
//mcp:resource uri=stock:///cheap{?cents} list=none
//mcp:var cents default=1000 min=0
func (s *Shop) Cheap(ctx context.Context, cents int64) (Page[Label], error) {
	var page Page[Label]
	for _, item := range s.Items.All() {
		page.Total++
		if item.Price.Cents < cents {
			page.Values = append(page.Values, Label{Name: item.Name, Price: item.Price})
		}
	}
	return page, nil
}

// Value is what everything is worth.
//
//mcp:resource uri=stock:///value
func (s *Shop) Value(ctx context.Context) (Money, error) {
	total := Money{Currency: "EUR"}
	for _, item := range s.Items.All() {
		total.Cents += item.Price.Cents
	}
	return total, nil
}

func (s *Shop) item(shelf int, sku string) (Item, error) {
	item, ok := s.Items.Get(ItemKey{Shelf: shelf, SKU: sku})
	if !ok {
		return Item{}, mcp.ErrNotFound
	}
	return item, nil
}
