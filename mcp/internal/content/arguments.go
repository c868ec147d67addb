package content

import (
	"sync"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// decoders are reused, because a decoder that is passed to generated code has to be on the heap.
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
		return WrongArguments(err)
	}
	return nil
}

// CheckArguments returns a function for the Check of a tool that decodes the arguments.
func CheckArguments[T any](decode func(*wire.Decoder, *T)) func(args []byte) error {
	return func(args []byte) error { return Arguments(args, decode, new(T)) }
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

// WrongArguments returns an [ArgumentsError] that says what is wrong.
func WrongArguments(err error) *ArgumentsError { return &ArgumentsError{err} }

// Error implements error.
func (e *ArgumentsError) Error() string { return "invalid arguments: " + e.err.Error() }

// Unwrap returns what the decoder found.
func (e *ArgumentsError) Unwrap() error { return e.err }
