package uri

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// varsOf returns variables with the given texts, percent-encoded, at the places 0, 1 and so on.
func varsOf(raws ...string) *Vars {
	v := new(Vars)
	for i, raw := range raws {
		v.Set(i, raw)
	}
	return v
}

func reason(v *Vars) string {
	if e, ok := errors.AsType[*VarError](v.Err()); ok {
		return e.Reason
	}
	return ""
}

func checkVar[T comparable](t *testing.T, raw string, decode func(v *Vars, i int, name string) T, want T,
	wantReason string) {
	t.Helper()
	v := varsOf(raw)
	got := decode(v, 0, "x")
	if wantReason != "" && strings.Contains(reason(v), wantReason) {
		return
	}
	if got != want || reason(v) != wantReason {
		t.Errorf("%s: got %v, %q, want %v, %q", raw, got, reason(v), want, wantReason)
	}
}

func TestVarsOfEachType(t *testing.T) {
	checkVar(t, "1", (*Vars).Bool, true, "")
	checkVar(t, "false", (*Vars).Bool, false, "")
	checkVar(t, "yes", (*Vars).Bool, false, "want true or false")
	checkVar(t, "%31%30", Int[int], 10, "")
	checkVar(t, "-128", Int[int8], -128, "")
	checkVar(t, "128", Int[int8], 0, "want a whole number from -128 to 127")
	checkVar(t, "-1", Int[uint16], 0, "want a whole number from 0 to 65535")
	checkVar(t, "18446744073709551615", Int[uint64], math.MaxUint64, "")
	checkVar(t, "x", Int[int64], 0, "want a whole number from -9223372036854775808 to 9223372036854775807")
	checkVar(t, "1.5", Float[float32], 1.5, "")
	checkVar(t, "1e39", Float[float32], 0, "want a number")
	for _, raw := range []string{"NaN", "inf", "0x1p4", "1_0"} {
		checkVar(t, raw, Float[float64], 0, "want a number")
	}
	checkVar(t, "90s", (*Vars).Duration, 90*time.Second, "")
	checkVar(t, "90", (*Vars).Duration, 0, "want a duration")
	checkVar(t, "%3A%3A1", Of[netip.Addr], netip.IPv6Loopback(), "")
	checkVar(t, "here", Of[netip.Addr], netip.Addr{}, "not a valid value")
	checkVar(t, "red", Of[pickyText], pickyText{}, "want a colour of the rainbow")
	checkVar(t, "", Of[pickyText], pickyText{}, "not a valid value")
	checkVar(t, "a", func(v *Vars, i int, name string) string { return Enum(v, i, name, "a", "b") }, "a", "")
	checkVar(t, "A", func(v *Vars, i int, name string) string { return Enum(v, i, name, "a", "b") }, "",
		"want one of a, b")
	day := func(v *Vars, i int, name string) time.Time { return v.Time(i, name, time.DateOnly) }
	checkVar(t, "2026-03-04", day, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), "")
	checkVar(t, "04.03.2026", day, time.Time{}, "want a time such as 2006-01-02")
}

func TestMissingVarsAreZeroAndNoError(t *testing.T) {
	v := new(Vars)
	v.Bool(0, "a")
	v.Time(1, "b", time.RFC3339)
	v.Duration(2, "c")
	Int[int](v, 3, "d")
	Int[uint](v, 4, "e")
	Float[float64](v, 5, "f")
	Enum(v, 6, "g", "x")
	Of[netip.Addr](v, 7, "h")
	if v.Err() != nil {
		t.Errorf("variables that the URI does not have are wrong: %v", v.Err())
	}
}

func TestVarBounds(t *testing.T) {
	t.Attr("requirements", "res-validate")
	check := func(want string, f func(v *Vars)) {
		t.Helper()
		v := new(Vars)
		if f(v); reason(v) != want {
			t.Errorf("got %q, want %q", reason(v), want)
		}
	}
	check("", func(v *Vars) { Min(v, "n", 1, 1); Max(v, "n", 1, 1); OneOf(v, "n", 2, 1, 2) })
	check("want at least 1", func(v *Vars) { Min(v, "n", 0, 1) })
	check("want at most 1.5", func(v *Vars) { Max(v, "n", 2, 1.5) })
	number := func(text string) func(*Vars) {
		return func(v *Vars) {
			v.Set(0, text)
			Float[float64](v, 0, "n")
			v.FloatMin(0, "n", "0.1")
			v.FloatMax(0, "n", "1e3")
		}
	}
	check("", number("0.1"))
	check("", number("1000.0"))
	check("", number("%31"))
	check("want at least 0.1", number("0.09999999999999999999"))
	check("want at most 1e3", number("1000.00000000000000000001"))
	check("want a number", number("x"))
	check("want one of 1, 2", func(v *Vars) { OneOf(v, "n", 3, 1, 2) })
	check("", func(v *Vars) { v.Length("s", "äö", 2, 2); v.Length("s", "äö", 0, -1) })
	check("want at least 3 characters", func(v *Vars) { v.Length("s", "äö", 3, -1) })
	check("want at most 1 characters", func(v *Vars) { v.Length("s", "äö", 0, 1) })
}

func TestDefaultAndEach(t *testing.T) {
	v := varsOf("7")
	v.Default(0, "8")
	v.Default(1, "a/b?")
	if got := v.RawText(0, "x") + v.RawText(1, "y"); got != "7a/b?" {
		t.Errorf("got %q", got)
	}
	v = new(Vars)
	v.Split("a:///x/1//3?n=4&m=0&n=%35/6&n")
	v.TakeSpan(0, 2, 0)
	v.TakeParams(1, "n")
	for i, want := range [][]string{{"1", "", "3"}, {"4", "5/6", ""}, nil} {
		var got []string
		for range v.Each(i) {
			got = append(got, v.RawText(i, "n"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("variable %d: got %q, want %q", i, got, want)
		}
	}
	if v.raw[0] != "1//3" {
		t.Errorf("Each has left %q behind", v.raw[0])
	}
}

// pickyText takes nothing, and says why in public if there is something.
type pickyText struct{}

func (*pickyText) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("a secret of the program")
	}
	return fmt.Errorf("wrapped for the log: %w", openError("want a colour of the rainbow"))
}

// openError is an error whose text clients may get.
type openError string

func (e openError) Error() string      { return string(e) }
func (e openError) PublicText() string { return string(e) }
