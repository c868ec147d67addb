package content

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ToolResult is the result of a tool, for tools whose result is more than one Go value.
type ToolResult struct {
	// Content is the unstructured content, for the model. If it is nil and Structured is set, the content is the JSON
	// of Structured as one text block.
	Content []protocol.ContentBlock
	// Structured is the structured content as JSON; nil means none. Clients of revisions before 2025-06-18 do not get
	// it.
	Structured json.RawMessage
	// IsError marks a failure of the tool, which Content describes for the model.
	IsError bool
}

// Result is short for ToolResult.
type Result = ToolResult

// ToolText returns a result that is one text block.
func ToolText(s string) ToolResult {
	return ToolResult{Content: []protocol.ContentBlock{&protocol.TextContent{Text: s}}}
}

// AsToolText adapts a tool that returns a string.
func AsToolText[S ~string](s S, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	return ToolText(string(s)), nil
}

// AsStructured adapts a tool that returns a struct. Its JSON is sent as structured content, and also as text for
// clients that do not read structured content.
func AsStructured[T any](v T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := marshal(&v)
	return ToolResult{Structured: b}, err
}

// CheckStructured adapts a tool that makes its own result. It returns an error if the structured content is not valid
// JSON, or has an object with the same name twice: clients could not read it.
func CheckStructured(r ToolResult, err error) (ToolResult, error) {
	if err != nil || r.Structured == nil {
		return r, err
	}
	if err := wire.CheckValue(r.Structured); err != nil {
		return ToolResult{}, fmt.Errorf("mcp: Structured of the result: %w", err)
	}
	return r, nil
}

// AsResult adapts a tool that returns a value other than an object: a number, a boolean, a time or a list. The value is
// sent as the member "result" of structured content, and as text.
func AsResult[T any](v T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := marshal(&v)
	return wrapped(b), err
}

// wrapped returns the result {"result": value}, with value as its text.
func wrapped(value []byte) ToolResult {
	r := ToolText(string(value))
	r.Structured = slices.Concat([]byte(`{"result":`), value, []byte("}"))
	return r
}

// marshal returns v as JSON. A nil slice is an empty list and a nil map an empty object, as schemas promise.
func marshal[T any](v *T) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if string(b) == "null" {
		switch reflect.TypeFor[T]().Kind() {
		case reflect.Slice:
			b = []byte("[]")
		case reflect.Map:
			b = []byte("{}")
		}
	}
	if err := wire.CheckValue(b); err != nil {
		return nil, err // keys of a map may have become equal
	}
	return b, nil
}

// Blocks returns a result of several blocks, or of none.
func Blocks(blocks ...Block) ToolResult {
	if blocks == nil {
		blocks = []Block{}
	}
	return ToolResult{Content: blocks}
}

// AsBlock adapts a tool that returns one block. A nil block is an empty result.
func AsBlock(b Block, err error) (ToolResult, error) {
	if b == nil {
		return AsDone(err)
	}
	return Blocks(b), err
}

// AsBlocks adapts a tool that returns blocks.
func AsBlocks[B ~[]Block](b B, err error) (ToolResult, error) { return Blocks(b...), err }

// Check returns an error if a block is nil, which is a mistake of the tool.
func (r *ToolResult) Check() error {
	for i, b := range r.Content {
		if b == nil {
			return fmt.Errorf("block %d of the result is nil", i)
		}
	}
	return nil
}

// AsDone adapts a tool that returns only an error.
func AsDone(err error) (ToolResult, error) {
	return ToolResult{Content: []protocol.ContentBlock{}}, err
}

// Size is how many bytes r holds.
func (r *ToolResult) Size() int {
	n := len(r.Structured)
	for _, block := range r.Content {
		n += SizeOfBlock(block)
	}
	return n
}
