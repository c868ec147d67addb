package wire

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// maxEncodeDepth is the most objects that may be open while a value is written: what is deeper refers to itself.
const maxEncodeDepth = 10_000

var errTooDeep = errors.New("json: the value is too deep, or a pointer leads back to it")

// Encoder writes values of the user's types as JSON, without reflection. After the first mistake everything that is
// written is ignored, and Result returns the error. The zero Encoder is ready for use; it belongs to one goroutine.
//
//	e.Object()
//	e.Name("title").String(v.Title)
//	e.Name("tags").Array()
//	for i := range v.Tags {
//		e.Elem().String(v.Tags[i])
//	}
//	e.EndArray()
//	e.EndObject()
//
// It writes what encoding/json writes for a pointer to the value, with these differences. Nil slices and maps are
// written as empty ones, because the generated schemas do not allow null. The characters <, > and & are not escaped.
// Invalid UTF-8 becomes the character U+FFFD, not its escape.
//
// The methods that generated encoders call very often are not inlined: that would make the encoders several times as
// large, and not faster.
type Encoder struct {
	b     []byte
	err   error
	depth int
	odd   bool // a name was not valid UTF-8, so that two names may have become one
}

// Reset makes e ready for another value. It keeps the memory of the last one.
func (e *Encoder) Reset() { *e = Encoder{b: e.b[:0]} }

// Result returns what was written, which is valid until the next Reset. The error is the first mistake.
func (e *Encoder) Result() ([]byte, error) {
	if e.odd && e.err == nil {
		e.err = CheckValue(e.b)
	}
	return e.b, e.err
}

// Object begins an object. It returns false after a mistake, or if the value seems to contain itself. The members then
// need not be written.
//
//go:noinline
func (e *Encoder) Object() bool {
	e.b = append(e.b, '{')
	e.depth++
	if e.depth > maxEncodeDepth {
		e.fail(errTooDeep)
	}
	return e.err == nil
}

// EndObject ends the object that was begun last.
//
//go:noinline
func (e *Encoder) EndObject() {
	e.b = append(e.b, '}')
	e.depth--
}

// Enter must be called before a value is written that can contain values of its own type. It returns false after a
// mistake, or if the value seems to contain itself: then the value need not be written. Call Leave after it was
// written.
func (e *Encoder) Enter() bool {
	e.depth++
	if e.depth > maxEncodeDepth {
		e.fail(errTooDeep)
	}
	return e.err == nil
}

// Leave ends what Enter began.
func (e *Encoder) Leave() { e.depth-- }

// Array begins an array.
//
//go:noinline
func (e *Encoder) Array() { e.b = append(e.b, '[') }

// EndArray ends the array that was begun last.
//
//go:noinline
func (e *Encoder) EndArray() { e.b = append(e.b, ']') }

// Name begins a member, whose value comes next. name is written as it is, so it must be escaped already.
//
//go:noinline
func (e *Encoder) Name(name string) *Encoder {
	b := e.b
	if n := len(b); n > 0 && b[n-1] != '{' {
		b = append(b, ',')
	}
	b = append(append(b, '"'), name...)
	b = append(b, '"', ':')
	e.b = b
	return e
}

// Key begins a member with a name that is data. It escapes the name.
//
//go:noinline
func (e *Encoder) Key(name string) *Encoder {
	b := e.b
	if n := len(b); n > 0 && b[n-1] != '{' {
		b = append(b, ',')
	}
	e.b = append(AppendString(b, name), ':')
	e.odd = e.odd || !utf8.ValidString(name)
	return e
}

// Elem begins an element of an array, whose value comes next.
//
//go:noinline
func (e *Encoder) Elem() *Encoder {
	if n := len(e.b); n > 0 && e.b[n-1] != '[' {
		e.b = append(e.b, ',')
	}
	return e
}

// Quote writes a quote: call it before and after a number or a boolean that is written as a string.
//
//go:noinline
func (e *Encoder) Quote() *Encoder {
	e.b = append(e.b, '"')
	return e
}

// String writes a string; see [AppendString].
//
//go:noinline
func (e *Encoder) String(s string) { e.b = AppendString(e.b, s) }

// QuotedString writes a string that holds s as a JSON string, as the option string of a json tag asks for.
func (e *Encoder) QuotedString(s string) { e.String(string(AppendString(nil, s))) }

// Int writes an integer.
//
//go:noinline
func (e *Encoder) Int(n int64) { e.b = AppendInt(e.b, n) }

// Uint writes an integer.
//
//go:noinline
func (e *Encoder) Uint(n uint64) { e.b = strconv.AppendUint(e.b, n, 10) }

// Bool writes a boolean.
//
//go:noinline
func (e *Encoder) Bool(v bool) { e.b = AppendBool(e.b, v) }

// Null writes null.
//
//go:noinline
func (e *Encoder) Null() { e.b = append(e.b, "null"...) }

// Float writes a number. NaN and infinities are mistakes.
func (e *Encoder) Float(f float64) {
	e.finite(f)
	e.b = AppendFloat(e.b, f)
}

// Float32 writes a number with as few digits as a float32 needs.
func (e *Encoder) Float32(f float32) {
	e.finite(float64(f))
	if abs := math.Abs(float64(f)); abs != 0 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
		e.b = trimExponent(strconv.AppendFloat(e.b, float64(f), 'e', -1, 32))
		return
	}
	e.b = strconv.AppendFloat(e.b, float64(f), 'f', -1, 32)
}

func (e *Encoder) finite(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail(fmt.Errorf("json: unsupported value: %v", f))
	}
}

// Base64 writes bytes in the standard base64 alphabet.
//
//go:noinline
func (e *Encoder) Base64(data []byte) { e.b = AppendBase64(e.b, data) }

// BytesOf returns a copy of s, whose type or element type may be a named one, for Base64.
func BytesOf[S ~[]E, E ~byte](s S) []byte {
	out := make([]byte, len(s))
	for i, b := range s {
		out[i] = byte(b)
	}
	return out
}

// Time writes a time as RFC 3339 has it. A year of more than four digits is a mistake.
func (e *Encoder) Time(t time.Time) {
	e.b = append(e.b, '"')
	b, err := t.AppendText(e.b)
	if err != nil {
		e.fail(err)
		b = e.b
	}
	e.b = b
	e.b = append(e.b, '"')
}

// Text writes what MarshalText of v returns, as a string.
func (e *Encoder) Text(v encoding.TextMarshaler) {
	text, err := v.MarshalText()
	if err != nil {
		e.fail(err)
	}
	e.b = AppendString(e.b, string(text))
}

// Raw writes JSON as it is, without the space between its tokens; nil becomes null. Text that is not JSON is a mistake.
func (e *Encoder) Raw(v json.RawMessage) {
	if v == nil {
		e.Null()
		return
	}
	if err := CheckValue(v); err != nil {
		e.fail(fmt.Errorf("json: a raw message: %w", err))
	}
	e.b = AppendRaw(e.b, v)
}

// JSON writes a value with encoding/json, for types that have no generated encoder.
func (e *Encoder) JSON(v any) {
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	if err := j.Encode(v); err != nil {
		e.fail(err)
		e.Null()
		return
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if err := CheckValue(text); err != nil {
		e.fail(fmt.Errorf("json: what MarshalJSON of %T has written: %w", v, err))
	}
	e.b = append(e.b, text...)
}

func (e *Encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// SortedKeys returns the keys of a map in the order in which they are written.
func SortedKeys[K ~string, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// IsZero reports whether what v points to is the zero value of its type, for types that cannot be compared.
func IsZero[T any](v *T) bool { return reflect.ValueOf(v).Elem().IsZero() }
