package server

import (
	"errors"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Encoding is how generated code writes a T as JSON; see [wire.Encoder].
type Encoding[T any] func(e *wire.Encoder, v *T)

// Encoded returns f as an Encoding.
func Encoded[T any](f func(e *wire.Encoder, v *T)) Encoding[T] { return f }

// errNoResult is the error of a tool that promises a value and returns a nil pointer.
var errNoResult = errors.New("mcp: the tool returned a nil pointer and no error")

// encoders are kept, with the memory that their last value took.
var encoders = sync.Pool{New: func() any { return new(wire.Encoder) }}

// maxEncoder is the largest text whose memory is kept for the next value.
const maxEncoder = 64 << 10

// encode returns v as JSON in memory of its own.
func (f Encoding[T]) encode(v *T) ([]byte, error) {
	e := encoders.Get().(*wire.Encoder)
	e.Reset()
	f(e, v)
	text, err := e.Result()
	out := slices.Clone(text)
	if cap(text) <= maxEncoder {
		encoders.Put(e)
	}
	return out, err
}

// Structured adapts a tool that returns a value: it is sent as structured content, and the same
// JSON as text for clients that do not read that.
func (f Encoding[T]) Structured(v T, err error) (ToolResult, error) { return f.StructuredRef(&v, err) }

// StructuredRef is Structured for a tool that returns a pointer, which must not be nil.
func (f Encoding[T]) StructuredRef(v *T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	if v == nil {
		return ToolResult{}, errNoResult
	}
	b, err := f.encode(v)
	return ToolResult{Structured: b}, err
}

// Result adapts a tool that returns a value which is no object, such as a list: see [AsResult].
func (f Encoding[T]) Result(v T, err error) (ToolResult, error) {
	if err != nil {
		return ToolResult{}, err
	}
	b, err := f.encode(&v)
	return wrapped(b), err
}

// Contents adapts a reader that returns a value sent as JSON text.
func (f Encoding[T]) Contents(v T, err error) (Contents, error) { return f.ContentsRef(&v, err) }

// ContentsRef is Contents for a reader that returns a pointer. A nil pointer with a nil error means
// that the resource does not exist.
func (f Encoding[T]) ContentsRef(v *T, err error) (Contents, error) {
	if err != nil || v == nil {
		return Contents{}, err
	}
	b, err := f.encode(v)
	return Text(string(b)), err
}
