package wire

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestAppendString(t *testing.T) {
	t.Attr("requirements", "msg-utf8 res-utf8 tool-sanitize")
	for s, want := range map[string]string{
		"": `""`, "abc": `"abc"`, `a"b\c/`: `"a\"b\\c/"`, "\b\f\n\r\t": `"\b\f\n\r\t"`, "\x00\x1f\x7f": `"\u0000\u001f` +
			"\x7f" + `"`,
		"<>&'": `"<>&'"`, "é😀": `"é😀"`, "\u2028\u2029\u2027": `"\u2028\u2029` + "\u2027" + `"`, "a\xffb": `"a` + "\ufffd" +
			`b"`,
		"\xed\xa0\x80": `"` + strings.Repeat("\ufffd", 3) + `"`, "\ufffd": "\"\ufffd\"",
		"12345678\n12345678\x01": `"12345678\n12345678\u0001"`,
	} {
		if got := string(AppendString([]byte("x"), s)); got != "x"+want {
			t.Errorf("%q: got %s, want x%s", s, got, want)
		}
	}
}

// A string is copied in words, and its last word may overlap the one before: no place of an escape, and of the end, may
// lose a byte or repeat one.
func TestAppendStringOfEachLength(t *testing.T) {
	const plain = "abcdefghijklmnopqrstuvwxyz"
	for n := range plain {
		for at := range n + 1 {
			for _, odd := range []string{"", "\n", "é", "€", "😀"} {
				s := plain[:at] + odd + plain[at:n]
				var got string
				text := AppendString(nil, s)
				if err := json.Unmarshal(text, &got); err != nil || got != s {
					t.Errorf("%q: got %s (%v)", s, text, err)
				}
			}
		}
	}
}

func TestAppendFloat(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.9e-7, 1e-9, 1e-10, 1e20, 1e21, 1e300, 0.1,
		1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		want, err := json.Marshal(f)
		if got := AppendFloat(nil, f); err != nil || string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := AppendFloat(nil, f); string(got) != "null" {
			t.Errorf("%v: got %s", f, got)
		}
	}
}

func TestAppendRaw(t *testing.T) {
	for raw, want := range map[string]string{
		" 1 ": "1", "{\n \"a\" : [ 1 , \"x \\n y\" ] ,\r\n\t\"b\":{ } }": `{"a":[1,"x \n y"],"b":{}}`, `"a b"`: `"a b"`,
		"": "null", "{": "null", "1 2": "null", "\"\n\"": "null", `{"a":1,"a":2}`: "null", "\xff": "null", "nul": "null",
		"\ufeff1": "null",
		strings.Repeat("[", 200) + strings.Repeat("] ", 200): strings.Repeat("[", 200) +
			strings.Repeat("]", 200),
		strings.Repeat("[", rawDepth+1) + strings.Repeat("]", rawDepth+1): "null",
	} {
		if got := string(AppendRaw([]byte("x"), []byte(raw))); got != "x"+want {
			t.Errorf("%.40q: got %.40s, want x%.40s", raw, got, want)
		}
	}
	if got := AppendRaw(nil, nil); string(got) != "null" {
		t.Errorf("nil: got %s", got)
	}
}

func TestAppendSmall(t *testing.T) {
	for got, want := range map[string]string{
		string(EndObject([]byte("{"))):                   "{}",
		string(EndObject([]byte(`{"a":1,`))):             `{"a":1}`,
		string(EndArray([]byte("["))):                    "[]",
		string(EndArray([]byte("[1,2,"))):                "[1,2]",
		string(EndObject(nil)):                           "}",
		string(AppendInt(nil, math.MinInt64)):            "-9223372036854775808",
		string(AppendBool(AppendBool(nil, true), false)): "truefalse",
		string(AppendStrings(nil, nil)):                  `[]`,
		string(AppendStrings(nil, []string{"a", ""})):    `["a",""]`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestExtra(t *testing.T) {
	var x Extra
	x.Set("a", json.RawMessage("1"))
	x.Set("b", json.RawMessage(" [\n] "))
	x.Set("a", json.RawMessage("2"))
	x.Set("c", json.RawMessage("oops"))
	x.Set("none", nil)
	if got := string(x.Append(nil)); got != `"a":2,"b":[],"c":null,` {
		t.Errorf("got %s", got)
	}
	if v, ok := x.Get("a"); !ok || string(v) != "2" {
		t.Errorf("Get: %s", v)
	}
	before := x
	x.Set("a", nil)
	if _, ok := x.Get("a"); ok || len(x) != 2 || before[0].Name != "a" {
		t.Errorf("after removal: %v, %v", x, before)
	}
	if got := string(Extra(nil).AppendJSON(nil)); got != "{}" {
		t.Errorf("nil: %s", got)
	}
	d := NewDecoder([]byte(`{"\u0061":[1, 2],"b":{}}`))
	if x.DecodeJSON(&d); d.Err() != nil || string(x.AppendJSON(nil)) != `{"a":[1,2],"b":{}}` {
		t.Errorf("decoded %v, %v", x, d.Err())
	}
	d = NewDecoder([]byte(`[]`))
	if x.DecodeJSON(&d); d.Err() == nil || x != nil {
		t.Error("an array is not an object")
	}
}
