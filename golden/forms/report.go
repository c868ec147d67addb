package forms

import (
	"context"
	"encoding/json"
	"net/netip"
	"strconv"
	"time"
)

// Money writes itself.
type Money int64

// MarshalJSON writes an amount with two decimals.
func (m Money) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/100, 'f', 2, 64), nil
}

// Code has a text of its own, on its pointer.
type Code struct{ N int }

// MarshalText writes # and the number.
func (c *Code) MarshalText() ([]byte, error) {
	return strconv.AppendInt([]byte("#"), int64(c.N), 10), nil
}

// Span knows when it is zero.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// IsZero reports whether the span is empty, wherever it begins.
func (s Span) IsZero() bool { return s.From == s.To }

// Tree contains itself.
type Tree struct {
	Name string `json:"name"`
	Kids Trees  `json:"kids,omitempty"`
	Left *Tree  `json:"left"`
}

// Trees are several.
type Trees []Tree

// Common is embedded.
type Common struct {
	ID     int64  `json:"id,string"`
	Hidden string `json:"note"`
}

// Extra is embedded by a pointer.
type Extra struct {
	Extra bool  `json:"extra,omitempty"`
	Depth uint8 `json:"depth"`
}

// Report has a member of every kind that can be written.
type Report struct {
	Common
	*Extra
	// Note hides that of Common.
	Note    string                `json:"note"`
	Stage   Stage                 `json:"stage"`
	Rank    Rank                  `json:"rank,omitempty"`
	Yes     bool                  `json:"yes"`
	Maybe   *bool                 `json:"maybe"`
	Small   int8                  `json:"small,omitempty"`
	Big     uint64                `json:"big,string"`
	Ratio   float64               `json:"ratio"`
	Part    float32               `json:"part,omitempty"`
	Quoted  *float64              `json:"quoted,string,omitempty"`
	Flag    bool                  `json:"flag,string"`
	Twice   string                `json:"twice,string"`
	Data    []byte                `json:"data"`
	Sum     [3]byte               `json:"sum"`
	Words   []string              `json:"words"`
	Grid    [][]float32           `json:"grid,omitempty"`
	Pair    [2]*Span              `json:"pair"`
	Labels  map[string]string     `json:"labels"`
	ByStage map[Stage][]Span      `json:"byStage,omitzero"`
	ByID    map[int]string        `json:"byID"`
	Price   Money                 `json:"price"`
	Prices  map[string]*Money     `json:"prices,omitempty"`
	Code    Code                  `json:"code"`
	Codes   []*Code               `json:"codes,omitempty"`
	Addr    netip.Addr            `json:"addr"`
	At      time.Time             `json:"at"`
	Until   *time.Time            `json:"until,omitempty"`
	Wait    time.Duration         `json:"wait,omitzero"`
	Span    Span                  `json:"span,omitzero"`
	Spans   *[]Span               `json:"spans,omitempty"`
	Tree    Tree                  `json:"tree"`
	Box     struct{ W, H int }    `json:"box"`
	Boxes   []struct{ Name Text } `json:"boxes,omitempty"`
	Raw     json.RawMessage       `json:"raw,omitempty"`
	Number  json.Number           `json:"number"`
	Any     any                   `json:"any"`
	Deep    **int                 `json:"deep,omitempty"`
	Odd     string                `json:"<odd>&~/,omitempty"`
	Skipped chan int              `json:"-"`
}

// Text is a string of another type.
type Text string

// Describe returns a report about an order, or none.
//
//mcp:tool readonly
func Describe(ctx context.Context, in Line) (*Report, error) {
	if in.Count == 200 {
		return nil, nil
	}
	return &Report{Note: "<b> & \u2028", Stage: Placed, Addr: netip.IPv6Loopback(),
		At: time.Date(2026, 7, 28, 12, 0, 0, 5, time.UTC)}, nil
}

// List returns several spans, which are no object.
//
//mcp:tool
func List(ctx context.Context) ([]Span, error) { return nil, nil }

// Count returns a map.
//
//mcp:tool
func Count(ctx context.Context) (map[string]int, error) { return map[string]int{"b": 2, "a": 1}, nil }
