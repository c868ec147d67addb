package wire

import (
	"encoding"
	"encoding/json"
	"slices"
	"strings"
)

// The functions of this file let generated code fill variables whose types it cannot name, such as unexported types of
// other packages: Go infers the type from the pointer.

// EnumText is [Text] for a text that must be one of values.
func EnumText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](d *Decoder, values ...string) (v T) {
	text := d.Peek()
	if KindOf(text) == KindString && !slices.Contains(values, unescapedString(text[1:len(text)-1])) {
		d.Fail("must be one of " + strings.Join(values, ", "))
		return v
	}
	return Text[T, P](d)
}

// EnumTextInto is [EnumText] for a type without a name.
func EnumTextInto[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](d *Decoder, p *T, values ...string) {
	*p = EnumText[T, P](d, values...)
}

// Into reads a value into what p points to: Into(d, &v.Level, wire.Int).
func Into[T any](d *Decoder, p *T, read func(*Decoder) T) { *p = read(d) }

// EnumInto is [Enum] for a type without a name.
func EnumInto[T ~string](d *Decoder, p *T, values ...T) { *p = Enum(d, values...) }

// New sets *p to a pointer to a new T, and returns that pointer.
func New[P ~*T, T any](p *P) *T {
	*p = new(T)
	return *p
}

// Ensure sets *p, an embedded pointer, to a pointer to a new T if it is nil.
func Ensure[P ~*T, T any](p *P) {
	if *p == nil {
		*p = new(T)
	}
}

// Room sets *s to an empty slice with room for the elements of the array that comes next.
func Room[S ~[]E, E any](d *Decoder, s *S) { *s = make(S, 0, d.Elements()) }

// Grow adds a zero element to *s and returns a pointer to it, which is valid until the next element is added.
func Grow[S ~[]E, E any](s *S) *E {
	var zero E
	*s = append(*s, zero)
	return &(*s)[len(*s)-1]
}

// Clear sets *m to an empty map.
func Clear[M ~map[K]E, K comparable, E any](m *M) { *m = M{} }

// ZeroOf returns the zero value of the element type of a map. Generated code makes a variable with it for the next
// value that it reads.
func ZeroOf[M ~map[K]E, K comparable, E any](_ M) (e E) { return e }

// Str reads a string of type T.
func Str[T ~string](d *Decoder) T { return T(d.String()) }

// Boolean reads a boolean of type T.
func Boolean[T ~bool](d *Decoder) T { return T(d.Bool()) }

// Base64 reads bytes of type T.
func Base64[T ~[]E, E ~byte](d *Decoder) T {
	data := d.Base64()
	if data == nil {
		return nil
	}
	out := make(T, len(data))
	for i, b := range data {
		out[i] = E(b)
	}
	return out
}

// Number reads a number and keeps its text.
func Number(d *Decoder) json.Number {
	raw := d.number("must be a number")
	if raw == nil {
		return ""
	}
	d.Skip()
	return json.Number(raw)
}

// Digits reads an integer that is written without a fraction and without an exponent. 10.0 and 1e3 are mistakes.
func Digits[T Integer](d *Decoder) T {
	if raw := d.Peek(); KindOf(raw) == KindNumber && !isInteger(raw) {
		d.Fail("must be an integer")
		return 0
	}
	return Int[T](d)
}

// Quoted reads a string that contains a value as JSON, as written by the option string of a json tag. If values are
// given, the content of the string must be one of them.
func Quoted[T any](d *Decoder, read func(*Decoder) T, values ...string) (v T) {
	text := d.Bytes()
	if d.bad || d.err != nil {
		return v
	}
	if values != nil && !slices.Contains(values, string(text)) {
		d.Fail("must be one of " + strings.Join(values, ", "))
		return v
	}
	if len(text) == 0 || text[0] <= ' ' || text[len(text)-1] <= ' ' || Check(text, Limits{}) != nil {
		d.Fail("must be a value in quotes, such as \"1\"")
		return v
	}
	inner := NewDecoder(text)
	v = read(&inner)
	if inner.err != nil {
		var zero T
		d.Fail("the text in the quotes " + inner.err.Reason)
		return zero
	}
	return v
}

// QuotedInto is [Quoted] for a type without a name.
func QuotedInto[T any](d *Decoder, p *T, read func(*Decoder) T, values ...string) {
	*p = Quoted(d, read, values...)
}
