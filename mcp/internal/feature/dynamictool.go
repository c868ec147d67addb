package feature

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// DynamicTool is the DynamicTool of package mcp, which describes the fields.
type DynamicTool struct {
	Name                      string
	Title, Description        string
	InputSchema, OutputSchema json.RawMessage
	Hints                     *protocol.ToolAnnotations
	Icons                     []protocol.Icon
	Meta                      *protocol.MetaObject
	Call                      func(ctx *call.Call, args json.RawMessage) (content.Result, error)
	Asks                      bool
	Access                    access.Access // without ItemPolicies, because a tool has no variables
	Limit                     access.Limit
	Use                       call.Use
}

// Tool checks t and returns it in the form of declared tools. It copies the schemas, the icons and the hints; Meta and
// the slices of Access are shared with t.
func (t *DynamicTool) Tool() (*Tool, error) {
	if !ValidToolName(t.Name) {
		return nil, errors.New("the name must be 1 to 128 of A-Z a-z 0-9 _ . -")
	}
	if t.Call == nil {
		return nil, errors.New("no function to call")
	}
	in, err := objectSchema(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	entry := &protocol.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: in,
		Icons: slices.Clone(t.Icons), Meta: t.Meta}
	if t.OutputSchema != nil {
		if entry.OutputSchema, err = objectSchema(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
	}
	if t.Hints != nil {
		entry.Annotations = new(*t.Hints)
	}
	guard, err := t.guard()
	if err != nil {
		return nil, err
	}
	run := t.Call
	return &Tool{Entry: entry, Asks: t.Asks, Guard: guard, Call: func(c *call.Call,
		args []byte) (content.ToolResult,
		error) {
		return run(c, args)
	}}, nil
}

// guard returns the guard of calls of t; nil if t has no access rules, limits or middleware.
func (t *DynamicTool) guard() (*access.Guard, error) {
	l := &t.Limit
	switch {
	case t.Access.ItemPolicies != nil:
		return nil, errors.New("Access.ItemPolicies are asked about variables, and it has none: use Policies")
	case min(int64(l.Timeout), int64(l.Rate), int64(l.Per), int64(l.Burst), int64(l.Concurrency), l.Bytes) < 0:
		return nil, errors.New("a limit is negative")
	case l.Rate > 0 && l.Per == 0:
		return nil, errors.New("Limit.Rate needs Per")
	case !t.Access.Restricted() && *l == (access.Limit{}) && t.Use == nil:
		return nil, nil
	}
	return &access.Guard{Access: t.Access, Limit: *l, Use: t.Use}, nil
}

// objectSchema returns a copy of a schema in one line. It must describe an object; nil stands for the schema of any
// object.
func objectSchema(schema json.RawMessage) (json.RawMessage, error) {
	if schema == nil {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		return nil, err
	}
	if kind, _ := wire.Lookup(b.Bytes(), "type"); string(kind) != `"object"` {
		return nil, errors.New(`its "type" must be "object"`)
	}
	return b.Bytes(), nil
}
