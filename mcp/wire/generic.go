package wire

import (
	"encoding/json"
	"math"
	"strings"
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

// parseBig reads what only an unsigned type of 64 bits holds.
func parseBig[T Integer](raw []byte) (T, bool) {
	var zero T
	if zero-1 < 0 || unsafe.Sizeof(zero) < 8 || len(raw) < 19 {
		return 0, false
	}
	var n uint64
	for _, c := range raw {
		if !isDigit(c) || n > (math.MaxUint64-uint64(c-'0'))/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return T(n), true
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
		d.Fail(strings.TrimPrefix(err.Error(), "json: "))
	}
}
