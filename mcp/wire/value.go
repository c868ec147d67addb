package wire

import (
	"encoding/base64"
	"unsafe"
)

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	if d.err != nil {
		return false
	}
	if d.literal("true") {
		return true
	}
	if !d.literal("false") {
		d.fail(skipSpace(d.text, d.pos), "must be a boolean")
	}
	return false
}

// String reads a string. It allocates at most the string itself: after Collect of a short text, the string shares the
// memory of the text.
func (d *Decoder) String() string {
	raw, escaped, ok := d.str()
	if !ok {
		return ""
	}
	if escaped {
		return unescapedString(raw)
	}
	if d.aliases {
		return unsafe.String(unsafe.SliceData(raw), len(raw)) //nolint:gosec // see Collect
	}
	return string(raw)
}

// Bytes reads a string and returns it unescaped. The result aliases the text unless there were escapes.
func (d *Decoder) Bytes() []byte {
	raw, escaped, ok := d.str()
	if !ok {
		return nil
	}
	if escaped {
		return appendUnescaped(make([]byte, 0, unescapedLen(raw)), raw)
	}
	return raw
}

// str reads a string and returns the text between its quotes, still escaped. escaped says whether it has escapes; ok is
// false after a mistake.
func (d *Decoder) str() (raw []byte, escaped, ok bool) {
	if d.err != nil {
		return nil, false, false
	}
	i := skipSpace(d.text, d.pos)
	if i >= len(d.text) || d.text[i] != '"' {
		return nil, false, d.fail(i, "must be a string")
	}
	end, escaped := stringEnd(d.text, i+1)
	if end < 0 {
		return nil, false, d.fail(i, reasonSyntax)
	}
	d.pos, d.due = end+1, false
	return d.text[i+1 : end : end], escaped, true
}

// number returns the text of the next value without reading it. If the value does not begin like a number, number notes
// reason as a mistake and returns nil.
func (d *Decoder) number(reason string) []byte {
	if d.err != nil {
		return nil
	}
	i := skipSpace(d.text, d.pos)
	if d.Kind() != KindNumber {
		d.fail(i, reason)
		return nil
	}
	return d.text[i:scalarEnd(d.text, i)]
}

// Int reads an integer. A number such as 10.0 or 1e3 is an integer too, as in JSON Schema.
func (d *Decoder) Int() int64 {
	raw := d.number("must be an integer")
	if raw == nil {
		return 0
	}
	n, whole, fits := wholeNumber(raw)
	if !fits {
		reason := "must be an integer"
		if whole {
			reason = reasonRange
		}
		d.fail(skipSpace(d.text, d.pos), reason)
		return 0
	}
	d.Skip()
	return n
}

// Float reads a number. A number too large for a float64 is a mistake.
func (d *Decoder) Float() float64 {
	raw := d.number("must be a number")
	if raw == nil {
		return 0
	}
	f, ok := parseFloat(raw)
	if !ok {
		d.fail(skipSpace(d.text, d.pos), reasonRange)
		return 0
	}
	d.Skip()
	return f
}

var strict64 = base64.StdEncoding.Strict()

// Base64 reads a string in the standard base64 alphabet with padding and returns the bytes, never nil unless there is a
// mistake. Line breaks, the URL alphabet, missing padding and stray bits in the last character are mistakes.
func (d *Decoder) Base64() []byte {
	at := d.pos
	raw := d.Bytes()
	if d.err != nil {
		return nil
	}
	out := make([]byte, strict64.DecodedLen(len(raw)))
	n, err := strict64.Decode(out, raw)
	// The standard decoder passes over line breaks. Every four characters must have given three bytes.
	if err != nil || len(raw)%4 != 0 || n < len(out)-2 {
		d.fail(skipSpace(d.text, at), "must be base64")
		return nil
	}
	return out[:n]
}

const reasonID = "must be a string or an integer of at most 128 KiB"

// ID reads a request id or a progress token.
func (d *Decoder) ID() ID {
	if d.err != nil {
		return ID{}
	}
	id, ok := ParseID(d.Peek())
	if !ok {
		d.fail(skipSpace(d.text, d.pos), reasonID)
		return ID{}
	}
	d.Skip()
	return id
}
