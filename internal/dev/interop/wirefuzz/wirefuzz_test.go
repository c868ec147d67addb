package wirefuzz

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// bigLimits keeps the caps of Check out of the comparison: the oracle refuses depths beyond 10,000 too.
var bigLimits = wire.Limits{Bytes: 1 << 30, Depth: 10_000}

func seed(f *testing.F) {
	var wide strings.Builder
	for i := range 30 {
		wide.WriteString(`"k` + string(rune('a'+i)) + `":{"k":1},`)
	}
	for _, s := range []string{
		``, ` `, `{}`, ` [ ] `, `null`, `true`, `falsey`, `-0`, `01`, `1.`, `-1.5e+7`, `1e`, `+1`, `"a\u00e9\ud83d\ude00"`,
		`"\ud800"`, `"\ude00\ud83d"`, `"\u00E9\/"`,
		`{"a":1,"\u0061":2}`, `{"a":{"b":[1,{"c":null}]},"d":"e"}`, `[[[[`, `{"a"`, `"\`, "\ufeff{}", "{}\x00",
		`{"k":1,"k\u0000":2}`, `[1,]`, `[,]`, `{"a":1,}`,
		`{"a":1,,"b":2}`, "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\xed\xa0\x80\"", "\"\u2028\"", "\v1", "[1}", `1 2`, `{"` +
			"\u212a" + `":1,"K":2,"k":3}`,
		"{" + wide.String() + `"ka":1}`, "{" + wide.String() + `"z":1}`,
	} {
		f.Add([]byte(s))
	}
}

// oracle reads one value strictly: no duplicate names, valid UTF-8, nothing behind it.
func oracle(text []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if _, err := d.ReadValue(); err != nil {
		return false
	}
	_, err := d.ReadToken()
	return err == io.EOF
}

// FuzzCheckOracle: Check accepts exactly what the oracle accepts.
func FuzzCheckOracle(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		err := wire.Check(text, bigLimits)
		if want := oracle(text); (err == nil) != want {
			t.Fatalf("%q: the oracle says %v, Check says %v", text, want, err)
		}
	})
}

// FuzzStringOracle: strings are read and written as the oracle does it, and ids keep their text.
func FuzzStringOracle(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\/\b\f\n\r\t", "\u00e9", "\U0001F600", "\u2028", "\x00", "\xff",
		"a\xed\xa0\x80b", `\u0041\ud83d\ude00`, `\ud83d`, strings.Repeat("é\n", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		written := wire.AppendString(nil, s)
		if !oracle(written) || bytes.ContainsAny(written, "\n\r\u2028\u2029") {
			t.Fatalf("%q was written as %q", s, written)
		}
		plain, err := jsontext.AppendUnquote(nil, written)
		if err != nil || string(plain) != strings.ToValidUTF8(s, "\ufffd") && string(plain) != string([]rune(s)) {
			t.Fatalf("%q came back as %q, %v", s, plain, err)
		}
		quoted := []byte(`"` + s + `"`)
		id, isID := wire.ParseID(quoted)
		want, err := jsontext.AppendUnquote(nil, quoted)
		if isID != (err == nil) {
			t.Fatalf("%q: the oracle says %v, ParseID %v", quoted, err, isID)
		}
		if err != nil {
			return
		}
		d := wire.NewDecoder(quoted)
		if got := d.String(); got != string(want) || d.Err() != nil || id.String() != got || id.Raw() != string(quoted) {
			t.Fatalf("%q: got %q, want %q, %v", quoted, got, want, d.Err())
		}
		if id.Canonical() != wire.StringID(string(want)) {
			t.Fatalf("%q: canonical form %s", quoted, id.Canonical().Raw())
		}
	})
}

// FuzzNumberOracle: numbers are those of the grammar, with the values that the standard library gives them.
func FuzzNumberOracle(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.5", "1e22", "1e-7", "123456789012345678", "0.1", "9007199254740993", "1e999",
		"-", "1.", "0.00000000000001", "1E5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if wire.Check([]byte(s), bigLimits) != nil || wire.KindOf([]byte(s)) != wire.KindNumber {
			return
		}
		var want float64
		err := json.Unmarshal([]byte(s), &want)
		d := wire.NewDecoder([]byte(s))
		if got := d.Float(); got != want || (d.Err() == nil) != (err == nil) {
			t.Fatalf("%q: got %v, %v, want %v, %v", s, got, d.Err(), want, err)
		}
		var n int64
		if json.Unmarshal([]byte(s), &n) != nil {
			return
		}
		d = wire.NewDecoder([]byte(s))
		if got := d.Int(); got != n || d.Err() != nil {
			t.Fatalf("%q: got %d, want %d, %v", s, got, n, d.Err())
		}
	})
}

// FuzzAppendRaw: what is written is compact and means the same; what the oracle refuses becomes null.
func FuzzAppendRaw(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		got := wire.AppendRaw([]byte("x"), text)
		if string(got[:1]) != "x" {
			t.Fatal("the text before was changed")
		}
		want := jsontext.Value("null")
		if oracle(text) {
			want = append(jsontext.Value(nil), text...)
			if err := want.Compact(jsontext.PreserveRawStrings(true)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got[1:], want) {
			t.Fatalf("%q was written as %q, want %q", text, got[1:], want)
		}
	})
}

// FuzzExtra: an object read as members and written again is the same object, names included.
func FuzzExtra(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if wire.Check(text, bigLimits) != nil || wire.KindOf(text) != wire.KindObject {
			return
		}
		var x wire.Extra
		d := wire.NewDecoder(text)
		if x.DecodeJSON(&d); d.Err() != nil {
			t.Fatal(d.Err())
		}
		got, want := jsontext.Value(x.AppendJSON(nil)), append(jsontext.Value(nil), text...)
		if got.Canonicalize() != nil || want.Canonicalize() != nil {
			return // numbers that canonical JSON does not have
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q was written as %q", text, got)
		}
	})
}
