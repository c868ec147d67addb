package wire

import (
	"encoding"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// Integer is any integer type.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

const reasonRange = "is out of range"

// Int reads an integer of type T. One that T cannot hold is a mistake.
func Int[T Integer](d *Decoder) T {
	raw := d.number("must be an integer")
	if raw == nil {
		return 0
	}
	if n, ok := parseBig[T](raw); ok {
		d.Skip()
		return n
	}
	n := d.Int()
	t := T(n)
	if int64(t) != n || (t < 0) != (n < 0) {
		d.Fail(reasonRange)
		return 0
	}
	return t
}

// parseBig reads an integer that an int64 may not hold, if T is an unsigned type of 64 bits that holds it. It returns
// false for shorter integers, which Decoder.Int reads.
func parseBig[T Integer](raw []byte) (T, bool) {
	var zero T
	if zero-1 < 0 || unsafe.Sizeof(zero) < 8 || len(raw) == 0 || raw[0] == '-' || len(raw) < 19 && isInteger(raw) {
		return 0, false
	}
	d := decimalIn(raw)
	n, ok := d.uint64()
	return T(n), ok && scanNumber(raw, 0) == len(raw)
}

// Float reads a number of type T. One that is too large for T is a mistake.
func Float[T ~float32 | ~float64](d *Decoder) T {
	t := T(d.Float())
	if math.IsInf(float64(t), 0) {
		d.Fail(reasonRange)
		return 0
	}
	return t
}

// OneOf notes a mistake unless v, the value that was read last, is one of values.
func OneOf[T comparable](d *Decoder, v T, values ...T) {
	if slices.Contains(values, v) {
		return
	}
	d.Must(false, "must be one of "+known(values))
}

// EachOf notes a mistake unless every byte of v, the value that was read last, is one of values.
func EachOf[S ~[]E, E ~byte](d *Decoder, v S, values ...E) {
	for _, b := range v {
		if !slices.Contains(values, b) {
			d.Must(false, "must have bytes that are one of "+known(values))
			return
		}
	}
}

// Length returns the number of characters of s.
func Length[S ~string](s S) int { return utf8.RuneCountInString(string(s)) }

// Enum reads a string that must be one of values.
func Enum[T ~string](d *Decoder, values ...T) T {
	s := d.Bytes()
	if d.err != nil {
		return ""
	}
	var known strings.Builder
	for i, v := range values {
		if string(s) == string(v) {
			return v
		}
		if i > 0 {
			known.WriteString(", ")
		}
		known.WriteString(string(v))
	}
	d.Fail("must be one of " + known.String())
	return ""
}

// JSON reads a value with encoding/json into what v points to, for types that have no generated decoder.
func (d *Decoder) JSON(v any) {
	raw := d.Raw()
	if d.err != nil {
		return
	}
	if err := json.Unmarshal(raw, v); err != nil {
		d.Fail(Refusal(err, ""))
	}
}

// Time reads a time as RFC 3339 writes it.
func Time(d *Decoder) time.Time {
	t, ok := dateTime(d.Bytes())
	if !ok {
		d.Fail("must be a time such as 2026-07-28T12:00:00Z")
	}
	return t
}

// Text reads a string with the UnmarshalText of T.
func Text[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](d *Decoder) (v T) {
	if s := d.Bytes(); !d.bad && d.err == nil {
		if err := P(&v).UnmarshalText(s); err != nil {
			d.Fail(Refusal(err, ""))
		}
	}
	return v
}

// Unique reports whether no two elements of list are equal.
func Unique[T comparable](list []T) bool {
	seen := make(map[T]struct{}, len(list))
	for _, v := range list {
		seen[v] = struct{}{}
	}
	return len(seen) == len(list)
}
