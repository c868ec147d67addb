package uri

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Bool decodes variable i: true, false, 1 or 0.
func (v *Vars) Bool(i int, name string) bool {
	switch s := v.RawText(i, name); s {
	case "true", "1":
		return true
	case "false", "0":
	default:
		v.wrong(i, name, "want true or false")
	}
	return false
}

// Time decodes variable i with a layout of package time. The zone is that of the text, UTC if it names none.
//
// Package time accepts a fraction of a second in any layout with seconds. A time that the layout cannot write back is
// refused, except with time.RFC3339: there URIs are written with a fraction.
func (v *Vars) Time(i int, name, layout string) time.Time {
	text := v.RawText(i, name)
	t, err := time.Parse(layout, text)
	usual := layout == time.RFC3339
	if err != nil || usual && !wire.IsDateTime(text) || !usual && t.Nanosecond() != 0 && !writes(layout, t) {
		v.wrong(i, name, "want a time such as "+time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC).Format(layout))
	}
	return t
}

// writes reports whether layout writes all of t.
func writes(layout string, t time.Time) bool {
	back, err := time.Parse(layout, t.Format(layout))
	return err == nil && back.Nanosecond() == t.Nanosecond()
}

// Duration decodes variable i in the syntax of Go: 1h30m.
func (v *Vars) Duration(i int, name string) time.Duration {
	d, err := time.ParseDuration(v.RawText(i, name))
	if err != nil {
		v.wrong(i, name, "want a duration such as 1h30m")
	}
	return d
}

// Int decodes variable i as a decimal number that T can hold.
func Int[T wire.Integer](v *Vars, i int, name string) T {
	var zero T
	s, bits := v.RawText(i, name), int(unsafe.Sizeof(zero))*8
	if zero-1 > 0 {
		n, err := strconv.ParseUint(s, 10, bits)
		if err != nil {
			v.wrong(i, name, fmt.Sprintf("want a whole number from 0 to %d", uint64(zero-1)))
		}
		return T(n)
	}
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		v.wrong(i, name, fmt.Sprintf("want a whole number from %d to %d", int64(-1)<<(bits-1),
			int64(math.MaxInt64)>>(64-bits)))
	}
	return T(n)
}

// Float decodes variable i as a decimal number that T can hold.
func Float[T ~float32 | ~float64](v *Vars, i int, name string) T {
	var zero T
	s := v.RawText(i, name)
	f, err := strconv.ParseFloat(s, int(unsafe.Sizeof(zero))*8)
	if err != nil || strings.ContainsAny(s, "xXpPnN_") {
		v.wrong(i, name, "want a number")
		return 0
	}
	return T(f) + 0 // -0 is 0
}

// Enum decodes variable i, which must be one of values.
func Enum[T ~string](v *Vars, i int, name string, values ...T) T {
	x := T(v.RawText(i, name))
	if v.Has(i) {
		OneOf(v, name, x, values...)
	}
	return x
}

// Of decodes variable i with the UnmarshalText of T. Clients read the error of UnmarshalText if it is public.
//
// Unlike [Vars.Text] it does not refuse unsafe paths: the type decides what is allowed. A type for paths must refuse
// ".." itself.
func Of[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string) T {
	var x T
	s := v.RawText(i, name)
	if v.err != nil || !v.Has(i) {
		return x
	}
	if err := P(&x).UnmarshalText([]byte(s)); err != nil {
		v.Fail(name, wire.Refusal(err, "not a valid value"))
	}
	return x
}

// EnumText is [Of] for a text that must be one of values.
func EnumText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string, values ...string) T {
	s := v.RawText(i, name)
	if v.err == nil && v.Has(i) && !slices.Contains(values, s) {
		v.Fail(name, "want one of "+strings.Join(values, ", "))
	}
	return Of[T, P](v, i, name)
}

// Min refuses a variable below least.
func Min[T cmp.Ordered](v *Vars, name string, x, least T) {
	if x < least {
		v.Fail(name, "want at least "+wire.TextForm(&least))
	}
}

// Max refuses a variable above most.
func Max[T cmp.Ordered](v *Vars, name string, x, most T) {
	if x > most {
		v.Fail(name, "want at most "+wire.TextForm(&most))
	}
}

// FloatMin refuses a number in variable i that is below least. It compares texts, because as float64 0.1 and 0.1 +
// 1e-20 are equal.
func (v *Vars) FloatMin(i int, name, least string) {
	if v.err == nil && wire.CompareNumbers(v.RawText(i, name), least) < 0 {
		v.Fail(name, "want at least "+least)
	}
}

// FloatMax refuses a number in variable i that is above most, as FloatMin does.
func (v *Vars) FloatMax(i int, name, most string) {
	if v.err == nil && wire.CompareNumbers(v.RawText(i, name), most) > 0 {
		v.Fail(name, "want at most "+most)
	}
}

// OneOf refuses a variable that is none of values.
func OneOf[T comparable](v *Vars, name string, x T, values ...T) {
	if slices.Contains(values, x) {
		return
	}
	known := make([]string, len(values))
	for i := range values {
		known[i] = wire.TextForm(&values[i])
	}
	v.Fail(name, "want one of "+strings.Join(known, ", "))
}

// Length refuses a text with fewer characters than least, or with more than most if most is not negative.
func (v *Vars) Length(name, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	if n < least {
		v.Fail(name, fmt.Sprintf("want at least %d characters", least))
	}
	if most >= 0 && n > most {
		v.Fail(name, fmt.Sprintf("want at most %d characters", most))
	}
}

// wrong is Fail for a variable that the URI has. A variable that it does not have is zero, without an error.
func (v *Vars) wrong(i int, name, reason string) {
	if v.Has(i) {
		v.Fail(name, reason)
	}
}

// Written fails for a variable whose value m cannot be written as text: without a text no URI could be built, and no
// update published.
func (v *Vars) Written(name string, m encoding.TextMarshaler) {
	if _, err := m.MarshalText(); err != nil {
		v.Fail(name, "cannot be written in a URI")
	}
}

// TextOf returns the text of m as URIs hold it; "" if m has none, so that no resource is found.
func TextOf(m encoding.TextMarshaler) string {
	text, err := m.MarshalText()
	if err != nil {
		return ""
	}
	return string(text)
}
