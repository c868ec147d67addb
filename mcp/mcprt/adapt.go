package mcprt

import (
	"encoding"
	"encoding/json"
	"io"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Text returns content that is one text.
func Text(s string) Contents { return content.Text(s) }

// TextBytes returns content that is one text. Bytes that are not valid UTF-8 are sent as binary content, because JSON
// cannot represent them.
func TextBytes(b []byte) Contents { return content.TextBytes(b) }

// Blob returns binary content.
func Blob(b []byte) Contents { return content.Blob(b) }

// WithType returns a function that sets the MIME type of contents; an empty one means that of the declaration.
func WithType(mimeType string) func(c Contents, err error) (Contents, error) {
	return content.WithType(mimeType)
}

// AsText adapts a reader that returns a string.
func AsText[S ~string](s S, err error) (Contents, error) { return content.AsText[S](s, err) }

// AsBlob adapts a reader that returns bytes. A nil slice with a nil error is an empty resource.
func AsBlob[B ~[]byte](b B, err error) (Contents, error) { return content.AsBlob[B](b, err) }

// AsTextBytes adapts a reader that returns bytes of a textual MIME type; see [TextBytes].
func AsTextBytes[B ~[]byte](b B, err error) (Contents, error) { return content.AsTextBytes[B](b, err) }

// AsStream adapts a reader that returns an io.Reader. If that is an io.Closer, it is closed once it was read. A nil
// reader with a nil error means that the resource does not exist.
func AsStream[R io.Reader](r R, err error) (Contents, error) { return content.AsStream[R](r, err) }

// AsTextStream is AsStream for a textual MIME type; see [TextBytes].
func AsTextStream[R io.Reader](r R, err error) (Contents, error) {
	return content.AsTextStream[R](r, err)
}

// AsJSON adapts a reader that returns a value sent as JSON text. A nil pointer, map or interface with a nil error
// means that the resource does not exist.
func AsJSON[T any](v T, err error) (Contents, error) { return content.AsJSON[T](v, err) }

// AsMarshaler adapts a reader that returns a value with MarshalText. A nil pointer or interface with a nil
// error means that the resource does not exist.
func AsMarshaler[M encoding.TextMarshaler](m M, err error) (Contents, error) {
	return content.AsMarshaler[M](m, err)
}

// Arguments decodes the arguments of a tool into the variable that v points to. The error is an [mcp.ArgumentsError]
// that lists all mistakes.
func Arguments[P any](args []byte, decode func(*wire.Decoder, P), v P) error {
	return content.Arguments(args, decode, v)
}

// CheckArguments returns a function that returns the error of [Arguments] for the same arguments, without their values.
func CheckArguments[T any](decode func(*wire.Decoder, *T)) func(args []byte) error {
	return content.CheckArguments(decode)
}

// NoInput is the input schema of a tool that takes no arguments. It must not be changed.
var NoInput = json.RawMessage(`{"type": "object", "properties": {}, "additionalProperties": false}`)

// NoArguments refuses arguments of a tool that takes none. The error is an [mcp.ArgumentsError].
func NoArguments(args []byte) error { return content.NoArguments(args) }

// AsToolText adapts a tool that returns a string.
func AsToolText[S ~string](s S, err error) (ToolResult, error) { return content.AsToolText[S](s, err) }

// AsStructured adapts a tool that returns a struct: it is sent as structured content and as a text block.
func AsStructured[T any](v T, err error) (ToolResult, error) { return content.AsStructured[T](v, err) }

// AsResult adapts a tool that returns a value other than an object: a number, a time or a list. The value is the member
// "result" of the structured content, and the text block.
func AsResult[T any](v T, err error) (ToolResult, error) { return content.AsResult[T](v, err) }

// AsBlock adapts a tool that returns one block. A nil block is an empty result.
func AsBlock(b protocol.ContentBlock, err error) (ToolResult, error) { return content.AsBlock(b, err) }

// AsBlocks adapts a tool that returns blocks.
func AsBlocks[B ~[]protocol.ContentBlock](b B, err error) (ToolResult, error) {
	return content.AsBlocks[B](b, err)
}

// AsDone adapts a tool that returns only an error.
func AsDone(err error) (ToolResult, error) { return content.AsDone(err) }

// AsPromptText adapts a prompt that returns a string, which is one message with the role user.
func AsPromptText[S ~string](s S, err error) (PromptResult, error) {
	return content.AsPromptText[S](s, err)
}

// AsMessage adapts a prompt that returns one message.
func AsMessage(m protocol.PromptMessage, err error) (PromptResult, error) {
	return content.AsMessage(m, err)
}

// AsMessages adapts a prompt that returns messages.
func AsMessages[M ~[]protocol.PromptMessage](m M, err error) (PromptResult, error) {
	return content.AsMessages[M](m, err)
}

// EncodeStructured adapts a tool that returns a struct, or a pointer to one that must not be nil. The struct is sent as
// structured content and as a text block.
func EncodeStructured[P any](encode func(*wire.Encoder, P), v P, err error) (ToolResult, error) {
	return content.EncodeStructured(encode, v, err)
}

// EncodeResult adapts a tool that returns a value which is not an object; see [AsResult].
func EncodeResult[P any](encode func(*wire.Encoder, P), v P, err error) (ToolResult, error) {
	return content.EncodeResult(encode, v, err)
}

// EncodeContents adapts a reader that returns a value which is sent as JSON text. A nil pointer with a nil error means
// that the resource does not exist.
func EncodeContents[P any](encode func(*wire.Encoder, P), v P, err error) (Contents, error) {
	return content.EncodeContents(encode, v, err)
}
