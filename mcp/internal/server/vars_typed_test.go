package server

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
		v.put(i, raw)
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
	checkVar(t, "%31%30", VarInt[int], 10, "")
	checkVar(t, "-128", VarInt[int8], -128, "")
	checkVar(t, "128", VarInt[int8], 0, "want a whole number from -128 to 127")
	checkVar(t, "-1", VarInt[uint16], 0, "want a whole number from 0 to 65535")
	checkVar(t, "18446744073709551615", VarInt[uint64], math.MaxUint64, "")
	checkVar(t, "x", VarInt[int64], 0, "want a whole number from -9223372036854775808 to 9223372036854775807")
	checkVar(t, "1.5", VarFloat[float32], 1.5, "")
	checkVar(t, "1e39", VarFloat[float32], 0, "want a number")
	for _, raw := range []string{"NaN", "inf", "0x1p4", "1_0"} {
		checkVar(t, raw, VarFloat[float64], 0, "want a number")
	}
	checkVar(t, "90s", (*Vars).Duration, 90*time.Second, "")
	checkVar(t, "90", (*Vars).Duration, 0, "want a duration")
	checkVar(t, "%3A%3A1", VarOf[netip.Addr], netip.IPv6Loopback(), "")
	checkVar(t, "here", VarOf[netip.Addr], netip.Addr{}, "not a valid value")
	checkVar(t, "red", VarOf[pickyText], pickyText{}, "want a colour of the rainbow")
	checkVar(t, "", VarOf[pickyText], pickyText{}, "not a valid value")
	checkVar(t, "a", func(v *Vars, i int, name string) string { return VarEnum(v, i, name, "a", "b") }, "a", "")
	checkVar(t, "A", func(v *Vars, i int, name string) string { return VarEnum(v, i, name, "a", "b") }, "",
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
	VarInt[int](v, 3, "d")
	VarInt[uint](v, 4, "e")
	VarFloat[float64](v, 5, "f")
	VarEnum(v, 6, "g", "x")
	VarOf[netip.Addr](v, 7, "h")
	if v.Err() != nil {
		t.Errorf("variables that the URI does not have are wrong: %v", v.Err())
	}
}

func TestVarBounds(t *testing.T) {
	check := func(want string, f func(v *Vars)) {
		t.Helper()
		v := new(Vars)
		if f(v); reason(v) != want {
			t.Errorf("got %q, want %q", reason(v), want)
		}
	}
	check("", func(v *Vars) { VarMin(v, "n", 1, 1); VarMax(v, "n", 1, 1); VarOneOf(v, "n", 2, 1, 2) })
	check("want at least 1", func(v *Vars) { VarMin(v, "n", 0, 1) })
	check("want at most 1.5", func(v *Vars) { VarMax(v, "n", 2, 1.5) })
	number := func(text string) func(*Vars) {
		return func(v *Vars) {
			v.put(0, text)
			VarFloat[float64](v, 0, "n")
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
	check("want one of 1, 2", func(v *Vars) { VarOneOf(v, "n", 3, 1, 2) })
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

func TestGivenVarsAreText(t *testing.T) {
	v := CompletionContext{"host": "::1", "odd": "%2e"}.Vars("odd", "port", "host")
	if got := v.RawText(0, "odd"); got != "%2e" {
		t.Errorf("got %q", got)
	}
	if v.Has(1) || VarOf[netip.Addr](v, 2, "host") != netip.IPv6Loopback() || v.Err() != nil {
		t.Errorf("got %v, %v", v.Has(1), v.Err())
	}
}

func TestCompleteFromKeepsTheOrder(t *testing.T) {
	got, err := CompleteFrom("warn", "info", "wild")(nil, "w", nil)
	if err != nil || !slices.Equal(got, []string{"warn", "wild"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// pickyText takes nothing, and says why in public if there is something.
type pickyText struct{}

func (*pickyText) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("a secret of the program")
	}
	return fmt.Errorf("wrapped for the log: %w", Errorf("want a colour of the rainbow"))
}
