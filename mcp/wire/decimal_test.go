package wire

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
)

// numbers are texts at the edges: of 64 bits, of what a float64 tells apart, of exponents.
var numbers = []string{
	"0", "-0", "0.0", "0e5", "0e-999999999999999999999", "1", "-1", "1.0", "10", "1e1", "1E+1", "100e-1", "1.5", "0.15e1",
	"0.1", "0.10000000000000001", "1e-400",
	"0.99999999999999999", "0.9999999999999999999999999999", "1.00000000000000000001", "9007199254740992",
	"9007199254740993", "9007199254740993.0", "9007199254740992.5",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9223372036854775807.0",
	"922337203685477580.7e1", "9.223372036854775807e18",
	"18446744073709551615", "18446744073709551616", "1.8446744073709551615e19", "1e19", "1e20", "100000000000000000000e-2",
	"123.456", "-123.456", "123.4560", "0.05", "1e-7",
}

func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q", s)
	}
	return r
}

// Numbers are compared as math/big compares them.
func TestNumbersAreExact(t *testing.T) {
	list := numbers
	r := rand.New(rand.NewSource(1))
	for range 60 {
		list = append(list, fmt.Sprintf("%d.%0*de%d", r.Int63n(1000)-500, 1+r.Intn(4), r.Intn(10), r.Intn(9)-4))
	}
	for _, a := range list {
		if strings.Contains(a, "999999999999999999999") {
			continue // more than math/big can hold
		}
		for _, b := range list {
			if strings.Contains(b, "999999999999999999999") {
				continue
			}
			x, y := rat(t, a), rat(t, b)
			if got, want := CompareNumbers(a, b), x.Cmp(y); got != want {
				t.Errorf("CompareNumbers(%s, %s) = %d, want %d", a, b, got, want)
			}
			if unit := decimalOf(b); y.Sign() <= 0 || unit.n > 19 {
				continue
			}
			d := decoderBehind(t, a)
			if got, want := d.MultipleOf(b), new(big.Rat).Quo(x, y).IsInt(); got != want {
				t.Errorf("%s is a multiple of %s: %v, want %v", a, b, got, want)
			}
		}
	}
}

// decoderBehind has read the number raw.
func decoderBehind(t *testing.T, raw string) *Decoder {
	t.Helper()
	d := NewDecoder([]byte(" [ " + raw + " ]"))
	d.Array()
	d.More()
	d.Skip()
	return &d
}

// Integers are those of JSON Schema: what has no fraction, however it is written, and nothing that only rounds to one.
func TestIntegersAreExact(t *testing.T) {
	for _, text := range append(numbers, "1e999999999", "-1e999999999", "1e-999999999",
		"1"+strings.Repeat("0", 5000)+"e-5000", "0."+strings.Repeat("0", 5000)+"1e5001") {
		var want *big.Int
		if !strings.Contains(text, "99999999999999999999") && !strings.Contains(text, "e999999999") &&
			!strings.Contains(text, "e-999999999") {
			if r := rat(t, text); r.IsInt() {
				want = r.Num()
			}
		}
		whole := want != nil || strings.Contains(text, "e999999999") || strings.HasPrefix(text, "0e")
		if strings.HasPrefix(text, "0e") {
			want = new(big.Int)
		}
		check := func(name string, got *big.Int, err error, fits bool) {
			t.Helper()
			switch {
			case !whole && (err == nil || err.Error() != "must be an integer"):
				t.Errorf("%s %.40s: %v", name, text, err)
			case whole && !fits && (err == nil || err.Error() != "is out of range"):
				t.Errorf("%s %.40s: %v", name, text, err)
			case whole && fits && (err != nil || got.Cmp(want) != 0):
				t.Errorf("%s %.40s = %v, %v, want %v", name, text, got, err, want)
			}
		}
		d := NewDecoder([]byte(text))
		n := Int[int64](&d)
		check("int64", big.NewInt(n), d.Err(), want != nil && want.IsInt64())
		d = NewDecoder([]byte(text))
		u := Int[uint64](&d)
		check("uint64", new(big.Int).SetUint64(u), d.Err(), want != nil && want.IsUint64())
		d = NewDecoder([]byte(text))
		small := Int[int8](&d)
		check("int8", big.NewInt(int64(small)), d.Err(), want != nil && want.IsInt64() && want.Int64() >= math.MinInt8 &&
			want.Int64() <= math.MaxInt8)
	}
}

// A number and its limit are compared digit by digit, so that the check refuses what the schema refuses.
func TestLimitsAreExact(t *testing.T) {
	for _, c := range []struct {
		number, limit string
		want          int
	}{
		{"0.1", "0.1", 0}, {"0.10000000000000001", "0.1", 1}, {"1e-1", "0.1", 0}, {"1e-400", "0", 1}, {"-1e-400", "0", -1},
		{"-0.0", "0", 0}, {"1e3", "1000", 0},
	} {
		if got := decoderBehind(t, c.number).Compare(c.limit); got != c.want {
			t.Errorf("%s against %s: %d, want %d", c.number, c.limit, got, c.want)
		}
	}
	d := decoderBehind(t, "0.10")
	if d.NumberOf("0.1", "2"); d.Err() != nil {
		t.Error(d.Err())
	}
	d = decoderBehind(t, "0.10000000000000001")
	if d.NumberOf("0.1", "2"); d.Err() == nil || d.Err().Error() != "/0: must be one of 0.1, 2" {
		t.Error(d.Err())
	}
	d = decoderBehind(t, "7e40")
	if !d.MultipleOf("0.7") || d.MultipleOf("9") {
		t.Error("7e40")
	}
}

func TestPlainNumber(t *testing.T) {
	for text, want := range map[string]string{
		"1e1": "10", "10.0": "10", "-1.50e2": "-150", "-0": "0", "0.0": "0", "1.5": "1.5", "1e999999999": "1e999999999",
		"18446744073709551615.0": "18446744073709551615",
		"1e-400":                 "1e-400",
	} {
		if got := PlainNumber(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What generated code reads by inference, and the mistakes that it reports.
func TestOddValues(t *testing.T) {
	read := func(text string, f func(d *Decoder)) string {
		d := new(Decoder)
		d.Collect([]byte(text))
		f(d)
		if d.Err() == nil {
			return ""
		}
		return d.Err().Error()
	}
	type ages map[int8]string
	keys := func(d *Decoder) {
		m := ages{}
		for d.Object(); d.Next(); {
			if k, ok := IntKey(d, m); ok {
				m[k] = d.String()
			}
		}
	}
	for text, want := range map[string]string{
		`{"1":"a","-128":"b"}`: "", `{"01":"a"}`: "/01: the name must be an integer",
		`{"-0":"a"}`: "/-0: the name must be an integer", `{"128":"a"}`: "/128: the name is out of range",
		`{"1e1":"a","2":3}`: "/1e1: the name must be an integer; /2: must be a string", `[]`: "must be an object",
	} {
		if got := read(text, keys); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`"1"`: "", `"1.0"`: "the text in the quotes must be an integer", `"300"`: "the text in the quotes is out of range",
		`" 1"`: `must be a value in quotes, such as "1"`,
		`""`:   `must be a value in quotes, such as "1"`, `1`: "must be a string",
		`"[1"`: `must be a value in quotes, such as "1"`,
	} {
		if got := read(text, func(d *Decoder) { Quoted(d, Digits[int8]) }); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	for i, n := range numbers {
		f.Add(n, numbers[len(numbers)-1-i])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 60 || !isShortNumber(a) || !isShortNumber(b) {
			return // rat would take long, or not read it
		}
		x, y := rat(t, a), rat(t, b)
		if CompareNumbers(a, b) != x.Cmp(y) {
			t.Fatalf("%s and %s", a, b)
		}
		d := NewDecoder([]byte(a))
		n := d.Int()
		if fits := x.IsInt() && x.Num().IsInt64(); fits != (d.Err() == nil) || fits && n != x.Num().Int64() {
			t.Fatalf("%s is read as %d, %v", a, n, d.Err())
		}
	})
}

// isShortNumber reports whether s is a number of JSON with an exponent that math/big can hold.
func isShortNumber(s string) bool {
	_, exp, _ := strings.Cut(strings.ToLower(s), "e")
	return s != "" && scanNumber([]byte(s), 0) == len(s) && len(exp) < 5
}
