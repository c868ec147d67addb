package content

import (
	"errors"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// The type parameter of the functions in this file is a pointer: the compiler makes one instance for all pointers, but
// one for each struct. The constraint is any, because with comparable it would also make one for each.

// errNoResult is the error of a tool that promises a value and returns a nil pointer.
var errNoResult = errors.New("mcp: the tool returned a nil pointer and no error")

// encoders are kept, with the memory that their last value took.
var encoders = sync.Pool{New: func() any { return new(wire.Encoder) }}

// maxEncoder is the largest text whose memory is kept for the next value.
const maxEncoder = 64 << 10

// encoded returns v as JSON in memory of its own.
func encoded[P any](encode func(e *wire.Encoder, v P), v P) ([]byte, error) {
	e := encoders.Get().(*wire.Encoder)
	e.Reset()
	encode(e, v)
	text, err := e.Result()
	var out []byte
	if err == nil {
		out = slices.Clone(text)
	}
	if cap(text) <= maxEncoder {
		encoders.Put(e)
	}
	return out, err
}

// IsNilPointer reports whether the pointer v is nil.
func IsNilPointer[P any](v P) bool { return any(v) == any(*new(P)) }

// EncodeStructured adapts a tool that returns a value. Its JSON is sent as structured content, and also as text for
// clients that do not read structured content. It returns an error if v and err are both nil.
//
//go:noinline
func EncodeStructured[P any](encode func(e *wire.Encoder, v P), v P, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	if IsNilPointer(v) {
		return ToolResult{}, errNoResult
	}
	b, err := encoded(encode, v)
	return ToolResult{Structured: b}, err
}

// EncodeResult adapts a tool that returns a value which is no object, such as a list: see [AsResult].
func EncodeResult[P any](encode func(e *wire.Encoder, v P), v P, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := encoded(encode, v)
	return wrapped(b), err
}

// EncodeContents adapts a reader that returns a value sent as JSON text. If v and err are both nil, the resource does
// not exist.
//
//go:noinline
func EncodeContents[P any](encode func(e *wire.Encoder, v P), v P, err error) (Contents, error) {
	if err != nil || IsNilPointer(v) {
		return Contents{}, err
	}
	b, err := encoded(encode, v)
	return Text(string(b)), err
}
