package content

import (
	"encoding"
	"io"
	"iter"
	"reflect"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Content is one piece of a resource: text or bytes. A resource may have several.
type Content struct {
	// URI is the URI of the piece; empty means the URI that the client reads.
	URI string
	// MIMEType is the media type; empty means that of the declaration.
	MIMEType string
	// Text is the content unless Blob is non-nil. It must be valid UTF-8.
	Text string
	// Blob is binary content.
	Blob []byte
	// Meta is sent as _meta from 2025-06-18 on; nil means none.
	Meta *protocol.MetaObject
}

// Contents is the content of a resource. The zero value means that the resource does not exist; [Many] without pieces
// means that it exists and is empty.
type Contents struct{ v Value }

// Value is what contents are made of, for the server. Programs make contents with the functions below.
type Value struct {
	Kind Kind
	Text string
	Blob []byte
	Many []Content
	// Unread is where the content comes from, for KindUnread.
	Unread *Unread
	// EntryMeta gives the content the _meta that the entry of its resource has in lists.
	EntryMeta bool
}

// Kind says which fields of a [Value] count.
type Kind uint8

// The kinds of contents.
const (
	KindNone Kind = iota // no such resource
	KindText
	KindBlob
	KindMany
	KindUnread // becomes one of the others once it is read
)

// ValueOf returns what c is made of.
func ValueOf(c *Contents) *Value { return &c.v }

// Text returns content that is one text.
func Text(s string) Contents { return Contents{Value{Kind: KindText, Text: s}} }

// Blob returns binary content. The server reads b until the response is sent; b must not be changed before.
func Blob(b []byte) Contents { return Contents{Value{Kind: KindBlob, Blob: b}} }

// AppPage returns the page of an app, with the _meta of its entry. It removes a byte order mark, which would become a
// part of the document, because clients get a text.
func AppPage(html string) Contents {
	return Contents{Value{Kind: KindText, Text: strings.TrimPrefix(html, "\ufeff"), EntryMeta: true}}
}

// Many returns content of several pieces, or of none.
func Many(pieces ...Content) Contents { return Contents{Value{Kind: KindMany, Many: pieces}} }

// AsText adapts a reader that returns a string.
func AsText[S ~string](s S, err error) (Contents, error) { return Text(string(s)), err }

// AsBlob adapts a reader that returns bytes. A nil slice with a nil error is an empty resource.
func AsBlob[B ~[]byte](b B, err error) (Contents, error) { return Blob(b), err }

// TextBytes returns content that is one text. Bytes that are not valid UTF-8 are sent as binary, because JSON strings
// cannot hold them. The server reads b until the response is sent; b must not be changed before.
func TextBytes(b []byte) Contents {
	if !utf8.Valid(b) {
		return Blob(b)
	}
	return Text(StringOf(b))
}

// AsTextBytes adapts a reader that returns bytes of a textual MIME type; see [TextBytes].
func AsTextBytes[B ~[]byte](b B, err error) (Contents, error) { return TextBytes(b), err }

// AsStream adapts a reader that returns an io.Reader. The server reads it later, and then closes it if it is an
// io.Closer. A nil reader with a nil error means that the resource does not exist.
func AsStream[R io.Reader](r R, err error) (Contents, error) {
	if err != nil || isNil(r) {
		return Contents{}, err
	}
	return Contents{Value{Kind: KindUnread, Unread: &Unread{From: r}}}, nil
}

// AsTextStream is AsStream for a textual MIME type; see [TextBytes].
func AsTextStream[R io.Reader](r R, err error) (Contents, error) {
	c, err := AsStream(r, err)
	if c.v.Unread != nil {
		c.v.Unread.Textual = true
	}
	return c, err
}

// AsJSON adapts a reader that returns a value sent as JSON text. A nil pointer or interface with a nil error means that
// the resource does not exist; a nil slice is an empty list, and a nil map an empty object.
func AsJSON[T any](v T, err error) (Contents, error) {
	if err != nil || isNil(v) {
		return Contents{}, err
	}
	b, err := marshal(&v)
	return Text(string(b)), err
}

// AsMarshaler adapts a reader that returns a value with a text form of its own. A nil pointer or
// interface with a nil error means that the resource does not exist.
func AsMarshaler[M encoding.TextMarshaler](m M, err error) (Contents, error) {
	if err != nil || isNil(m) {
		return Contents{}, err
	}
	b, err := m.MarshalText()
	return TextBytes(b), err
}

// AsContent adapts a reader that returns one piece.
func AsContent(c Content, err error) (Contents, error) { return Many(c), err }

// AsContents adapts a reader that returns pieces. A nil slice with a nil error means that the
// resource does not exist, a slice of length 0 that it is empty.
func AsContents(pieces []Content, err error) (Contents, error) {
	if pieces == nil {
		return Contents{}, err
	}
	return Many(pieces...), err
}

// AsContentSeq adapts a reader that yields pieces. The first error is the result. A nil seq with a nil error means that
// the resource does not exist.
func AsContentSeq(seq iter.Seq2[Content, error], err error) (Contents, error) {
	if err != nil || seq == nil {
		return Contents{}, err
	}
	pieces := []Content{}
	for c, err := range seq {
		if err != nil {
			return Contents{}, err
		}
		pieces = append(pieces, c)
	}
	return Many(pieces...), nil
}

// isNil reports whether v is a nil pointer or interface: no value at all.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Invalid || r.Kind() == reflect.Pointer && r.IsNil()
}

// WithType returns a function that sets the MIME type of contents. An empty one leaves the type of the declaration.
func WithType(mimeType string) func(c Contents, err error) (Contents, error) {
	return func(c Contents, err error) (Contents, error) {
		if c.v.Kind == KindUnread && err == nil {
			c.v.Unread.MIMEType = mimeType
			return c, nil
		}
		piece := Content{MIMEType: mimeType, Text: c.v.Text, Blob: c.v.Blob}
		if c.v.Kind == KindBlob && c.v.Blob == nil {
			piece.Blob = []byte{}
		}
		if err != nil || mimeType == "" || c.v.Kind != KindText && c.v.Kind != KindBlob {
			return c, err
		}
		return Many(piece), nil
	}
}

// Roles returns the roles of an audience.
func Roles[S ~string](names ...S) []protocol.Role {
	var roles []protocol.Role
	for _, name := range names {
		roles = append(roles, protocol.Role(name))
	}
	return roles
}

// StringOf is b as a string, without a copy: b is not changed as long as the string is used.
func StringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) } //nolint:gosec // see above
