package mcprt

import (
	"context"
	"encoding/json"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Extension declares an extension of the protocol that the program defines, with its methods.
type Extension = feature.Extension

// Method is a request or a notification of an extension.
type Method = feature.Method

// Filter is a member that an extension adds to the filter of subscriptions/listen.
type Filter = feature.Filter

// Notification is a notification of an extension that the server sends.
type Notification = wire.Notification

// Experimental is an experimental capability.
type Experimental = feature.Experimental

// DeclareExperimental returns the value of Features.Experimental.
func DeclareExperimental(list ...Experimental) func(*protocol.ServerCapabilities) error {
	return feature.DeclareExperimental(list...)
}

// Extensions returns the value of Features.Extensions. The id of an extension is a vendor prefix and a name; no two
// extensions of a server have the same id, and no two methods the same name.
func Extensions(list ...Extension) feature.Extensions { return server.NewExtensions(list...) }

// EncodeSettings returns a function that encodes the struct or map that v points to: the settings of an extension or of
// an experimental capability.
func EncodeSettings[P any](encode func(*wire.Encoder, P), v P) func() (json.RawMessage, error) {
	return content.EncodeSettings(encode, v)
}

// Settings is [EncodeSettings] for a type that encodes itself.
func Settings[P any](v P) func() (json.RawMessage, error) { return content.Settings(v) }

// EncodeObject adapts a method of an extension that returns a struct or a map, or a pointer, which must not be nil.
func EncodeObject[P any](encode func(*wire.Encoder, P), v P, err error) (json.RawMessage, error) {
	return content.EncodeObject(encode, v, err)
}

// AsObject is [EncodeObject] for a type that encodes itself.
func AsObject[T any](v T, err error) (json.RawMessage, error) { return content.AsObject(v, err) }

// AsEmpty adapts a method of an extension that returns only an error. Its result is an empty object.
func AsEmpty(err error) (json.RawMessage, error) { return content.AsEmpty(err) }

// Dispatched returns a method that a generated package of an extension handles. parse and dispatch are ParseRevision
// and Dispatch of that package, which "mcpgen protocol" has written. The versions of the package are the Revisions of
// the [Extension].
func Dispatched[R, H any](
	id, method string, handler H, parse func(string) (R, bool),
	dispatch func(context.Context, H, R, []byte, *wire.Decoder, []byte) ([]byte, error),
) Method {
	return feature.Dispatched(id, method, handler, parse, dispatch)
}

// WithParams is [With] for the Call of a [Method], or the Topics of a [Filter].
func WithParams[P, R any](impl P, call func(P, *Call, []byte) (R, error)) func(*Call, []byte) (R, error) {
	return func(c *Call, params []byte) (R, error) { return call(impl, c, params) }
}

// Publish sends n to the clients that follow its topic: those of s, of servers that s is joined with, and of their
// other replicas. It never blocks. An error means that n is too long, or cannot be encoded.
func Publish(s *mcp.Server, n Notification) error { return server.Publish((*server.Server)(s), n) }

// JoinableExtension is what one member of a joined server contributes to an extension that several members may have.
type JoinableExtension = feature.JoinableExtension

// AddExtension adds an extension to what f declares.
func AddExtension(f *Features, e *Extension) { server.AddExtension(f, e) }

// MayKnow returns a function that reports whether the caller of c may know of the resource at a URI, by the rules of
// resources/list. Call it only on the goroutine of c.
func MayKnow(c *Call) func(uri string) (bool, error) { return server.MayKnow(c) }

// PageSize is the largest number of entries of a page of a list.
func PageSize(c *Call) int { return server.PageSizeOf(c) }

// SealCursor returns a cursor for the page of a list of an extension that begins after an entry; last is the name of
// that entry. The cursor is valid only for the list with that name.
func SealCursor(c *Call, list, last string) string { return server.SealCursor(c, list, last) }

// OpenCursor returns the name of the entry after which the page of a cursor begins. The error, for an invalid cursor,
// is the response.
func OpenCursor(c *Call, list, cursor string) (last string, err error) {
	return server.OpenCursor(c, list, cursor)
}
