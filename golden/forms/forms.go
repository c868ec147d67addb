// Package forms has tools whose inputs say in their tags what they accept: one of each keyword.
//
//mcp:server name=forms version=1.0.0
package forms

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"
)

// Stage of an order.
//
//mcp:enum
type Stage string

// The stages.
const (
	Draft  Stage = "draft"
	Placed Stage = "placed"
	Sent   Stage = "sent"
)

// Rank is an enum of numbers.
//
//mcp:enum
type Rank int

// The ranks.
const (
	First Rank = iota + 1
	Second
	Third
)

// Line is one line of an order.
type Line struct {
	// Article number.
	Article string `json:"article" jsonschema:"pattern=^[A-Z]{2}-[0-9]+$,example=AB-12"`
	Count   uint8  `json:"count,omitempty" jsonschema:"default=1,minimum=1,maximum=200"`
	// Note for the packer.
	Note *string `json:"note,omitempty" jsonschema:"nullable,maxLength=20"`
}

// Order has a keyword of every kind.
type Order struct {
	// Customer who orders.
	Customer string          `json:"customer" jsonschema:"title=Customer,minLength=2,maxLength=40" mcp:"header=Customer"`
	Mail     string          `json:"mail,omitempty" jsonschema:"format=email,description=Where the bill goes\\, if not by post."`
	Ref      string          `json:"ref,omitempty" jsonschema:"required,format=uuid"`
	Day      string          `json:"day,omitempty" jsonschema:"format=date"`
	At       string          `json:"at,omitempty" jsonschema:"format=date-time"`
	Site     string          `json:"site,omitempty" jsonschema:"format=uri"`
	Host     string          `json:"host,omitempty" jsonschema:"format=hostname"`
	V4       string          `json:"v4,omitempty" jsonschema:"format=ipv4"`
	V6       string          `json:"v6,omitempty" jsonschema:"format=ipv6"`
	Colour   string          `json:"colour,omitempty" jsonschema:"format=colour,enum=red,enum=green,default=red"`
	Stage    Stage           `json:"stage,omitempty" jsonschema:"default=draft"`
	Rank     Rank            `json:"rank,omitempty" mcp:"header=rank"`
	Urgent   bool            `json:"urgent,omitempty" jsonschema:"default=true,title=Urgent"`
	Discount float64         `json:"discount,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1,multipleOf=0.05"`
	Weight   *float32        `json:"weight,omitempty" jsonschema:"minimum=0.5,maximum=1e3,example=2.5"`
	Boxes    int             `json:"boxes,omitempty" jsonschema:"multipleOf=2,enum=2,enum=4,enum=8"`
	Limit    *int            `json:"limit,omitempty" jsonschema:"default=20,minimum=1"`
	Tags     []string        `json:"tags,omitempty" jsonschema:"minItems=1,maxItems=3,uniqueItems=true,maxLength=5,default=a,default=b"`
	Days     []int           `json:"days,omitzero" jsonschema:"nullable,minimum=1,maximum=7"`
	Lines    []Line          `json:"lines" jsonschema:"minItems=1"`
	From     netip.Addr      `json:"from,omitzero" jsonschema:"format=ip"`
	Due      time.Time       `json:"due,omitzero"`
	Wait     time.Duration   `json:"wait,omitempty" jsonschema:"minimum=0"`
	Parts    map[string]Line `json:"parts,omitempty" jsonschema:"title=Parts"`
	Next     *Order          `json:"next,omitempty" jsonschema:"description=The order after this one."`
	Extra    json.RawMessage `json:"extra,omitempty"`
	Secret   string          `json:"secret,omitempty" jsonschema:"writeOnly=true"`
	Odd      string          `json:"<odd>&~/,omitempty" jsonschema:"minLength=1"`
}

// Check accepts an order that is as its schema says, and returns it.
//
//mcp:tool readonly
func Check(ctx context.Context, in Order) (Order, error) { return in, nil }

// CheckLine accepts a line of an order.
//
//mcp:tool
func CheckLine(ctx context.Context, in *Line) (Line, error) { return *in, nil }
