package server

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ToolResult is what a tool answers.
type ToolResult struct {
	// Content is what the model reads. Nil with Structured set means the JSON of that, as one text.
	Content []protocol.ContentBlock
	// Structured is the answer as JSON, for programs; nil for none. Revisions before 2025-06-18 do
	// not carry it.
	Structured json.RawMessage
	// IsError says that the tool ran and failed; Content tells the model how.
	IsError bool
}

// Result is short for ToolResult.
type Result = ToolResult

// ToolText returns a result that is one text.
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

// AsStructured adapts a tool that returns a struct: it is sent as structured content, and the same
// JSON as text for clients that do not read that.
func AsStructured[T any](v T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := marshal(&v)
	return ToolResult{Structured: b}, err
}

// AsResult adapts a tool that returns a value which is no object, such as a number, a boolean, a time or a list. It is
// sent as the member "result" of structured content, and by itself as text.
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
	if string(b) == "null" {
		switch reflect.TypeFor[T]().Kind() {
		case reflect.Slice:
			b = []byte("[]")
		case reflect.Map:
			b = []byte("{}")
		}
	}
	return b, err
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

// check reports what no client could read: mistakes of the tool.
func (r *ToolResult) check() error {
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

// decoders are kept, since one that generated code has seen would be new memory for each call.
var decoders = sync.Pool{New: func() any { return new(wire.Decoder) }}

// Arguments decodes the arguments of a tool. The error is an [ArgumentsError] about all that is
// wrong with them. Strings of v may be part of args, which must not be changed afterwards. P is a pointer.
func Arguments[P any](args []byte, decode func(*wire.Decoder, P), v P) error {
	d := decoders.Get().(*wire.Decoder)
	d.Collect(args)
	decode(d, v)
	err := d.Err()
	d.Collect(nil)
	decoders.Put(d)
	if err != nil {
		return &ArgumentsError{err}
	}
	return nil
}

// NoArguments refuses arguments of a tool that takes none. The error is an [ArgumentsError].
func NoArguments(args []byte) error {
	return Arguments(args, func(d *wire.Decoder, _ *struct{}) {
		for d.Object(); d.Next(); {
			d.Fail("unknown argument")
		}
	}, nil)
}

// ArgumentsError says that the arguments of a tool call do not fit its input schema. The client
// sees its text: as a failed tool result from 2025-11-25 on, as -32602 before.
type ArgumentsError struct{ err error }

// Error implements error.
func (e *ArgumentsError) Error() string { return "invalid arguments: " + e.err.Error() }

// Unwrap returns what the decoder found.
func (e *ArgumentsError) Unwrap() error { return e.err }

// checkLength returns an error for the name of a tool that is too long, which a prefix may have made it.
func checkLength(name string) error {
	if len(name) > maxToolName {
		return fmt.Errorf("the name has %d characters, and may have %d", len(name), maxToolName)
	}
	return nil
}

// maxToolName is the most characters that the name of a tool may have.
const maxToolName = 128

// validToolName reports whether clients take name for that of a tool.
func validToolName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return name != "" && len(name) <= maxToolName && strings.Trim(name, letters) == ""
}
