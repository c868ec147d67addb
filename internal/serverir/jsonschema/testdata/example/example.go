// Package example has a tool whose input shows what structs can hold.
package example

import (
	"context"
	"encoding/json"
	"time"
)

// Base is embedded.
type Base struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
}

// Color is an enum.
//
//mcp:enum
type Color string

// The colors.
const (
	Red  Color = "red"
	Blue Color = "blue"
)

// Node contains itself.
type Node struct {
	Name string  `json:"name"`
	Kids []*Node `json:"kids,omitempty"`
}

// Item is a struct in a list.
type Item struct {
	Count uint    `json:"count"`
	Price float64 `json:"price,omitzero"`
}

// Page is generic.
type Page[T any] struct {
	Items []T `json:"items"`
}

// In is the input.
type In struct {
	Base
	// Query to look for.
	Query   string            `json:"query"`
	Deep    bool              `json:"deep,omitempty"`
	Limit   int32             `json:"limit,omitempty"`
	Ratio   float32           `json:"ratio"`
	Color   Color             `json:"color"`
	Tags    []string          `json:"tags"`
	Pair    [2]int            `json:"pair"`
	Labels  map[string]string `json:"labels,omitempty"`
	Items   []Item            `json:"items"`
	Page    Page[Item]        `json:"page"`
	Maybe   *Item             `json:"maybe,omitempty"`
	Tree    Node              `json:"tree"`
	Since   time.Time         `json:"since,omitzero"`
	Extra   json.RawMessage   `json:"extra,omitempty"`
	Any     any               `json:"any,omitempty"`
	Plain   string
	Skipped string `json:"-"`
	hidden  int
}

// Do uses it.
//
//mcp:tool
func Do(ctx context.Context, in In) error {
	_ = in.hidden
	return nil
}
