package shapes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Base is embedded.
type Base struct {
	// ID of the thing.
	ID ThingID `json:"id"`
}

// All has a field of every kind that a tool can take.
type All struct {
	Base
	Name    Text                           `json:"name"`
	Yes     bool                           `json:"yes,omitempty"`
	Small   int8                           `json:"small,omitempty"`
	Large   uint64                         `json:"large,omitempty"`
	Ratio   float32                        `json:"ratio,omitempty"`
	Level   Level                          `json:"level"`
	Point   Point                          `json:"point,omitzero"`
	Points  []Point                        `json:"points,omitzero"`
	Grid    [][]int                        `json:"grid,omitzero"`
	Deep    map[string][]map[string]*Point `json:"deep,omitzero"`
	Limit   *int                           `json:"limit,omitempty"`
	Next    *All                           `json:"next,omitempty"`
	Labels  map[string]int                 `json:"labels,omitzero"`
	Shapes  map[Text]Point                 `json:"shapes,omitzero"`
	Raw     json.RawMessage                `json:"raw,omitempty"`
	When    time.Time                      `json:"when,omitzero"`
	Any     any                            `json:"any,omitempty"`
	Hidden  string                         `json:"-"`
	private string
}

// Echo returns what it was given.
//
//mcp:tool title="Echo" readonly idempotent closed
//mcp:icon src=https://example.com/echo.svg
//mcp:meta com.example/cost=low
func (s Shelf) Echo(ctx context.Context, in All) (All, error) { return in, nil }

// Describe takes a pointer, and the call.
//
//mcp:tool name=describe.it destructive=false open
func Describe(ctx context.Context, in *Base, call *mcp.Call) (string, error) {
	return fmt.Sprintf("%s in %s", in.ID, call.Revision()), nil
}

// Ping takes nothing.
//
//mcp:tool
func Ping(ctx context.Context) (Text, error) { return "pong", nil }

// Fail returns only an error.
//
//mcp:tool
func Fail(ctx context.Context, in Base) error {
	if in.ID == "" {
		return nil
	}
	return mcp.Public(errors.New("no such thing"))
}

// Exact returns the result itself.
//
//mcp:tool
func Exact(ctx context.Context) (mcp.ToolResult, error) { return mcp.ToolText("exact"), nil }
