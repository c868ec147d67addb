package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// inner and outer stand for generated types.
type inner struct {
	kind  string
	extra Extra
}

type outer struct {
	uri   string
	size  int64
	ratio float64
	ok    bool
	data  []byte
	tags  []string
	raw   json.RawMessage
	id    ID
	child inner
	nulls int
	extra Extra
}

func (v *inner) decode(d *Decoder) {
	if !d.Object() {
		return
	}
	for d.Next() {
		switch string(d.Name()) {
		case "kind":
			if v.kind = d.String(); v.kind != "leaf" {
				d.Fail(`must be "leaf"`)
			}
		case "ignored":
		default:
			d.Extra(&v.extra)
		}
	}
	if v.kind == "" {
		d.Missing("kind")
	}
}

func (v *outer) decode(d *Decoder) {
	if !d.Object() {
		return
	}
	for d.Next() {
		switch string(d.Name()) {
		case "uri":
			v.uri = d.String()
		case "size":
			v.size = d.Int()
		case "ratio":
			v.ratio = d.Float()
		case "ok":
			v.ok = d.Bool()
		case "data":
			v.data = d.Base64()
		case "tags":
			if !d.Array() {
				return
			}
			for d.More() {
				v.tags = append(v.tags, d.String())
			}
		case "raw":
			v.raw = d.RawCopy()
		case "id":
			v.id = d.ID()
		case "child":
			v.child.decode(d)
		case "nothing":
			if d.Null() {
				v.nulls++
			}
		default:
			d.Extra(&v.extra)
		}
	}
}

func TestDecode(t *testing.T) {
	text := []byte(` { "uri" : "a\u00e9\n\ud83d\ude00" , "size":10.0,"ratio":-1.25e2,"ok":true,"data":"AAH\/","tags":["x","","\""],
		"raw": [1, {"a":2}] ,"id":"7","child":{"ignored":{"x":[1,{}]},"k":{"deep":[]},"kind":"leaf"},"nothing":null,"X":1, "\u0078":{"y": 2} } `)
	if err := Check(text, Limits{}); err != nil {
		t.Fatal(err)
	}
	var v outer
	d := NewDecoder(text)
	v.decode(&d)
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	clear(text)
	switch {
	case v.uri != "aé\n😀", v.size != 10, v.ratio != -125, !v.ok, !bytes.Equal(v.data, []byte{0, 1, 255}), v.nulls != 1,
		strings.Join(v.tags, "|") != `x||"`, string(v.raw) != `[1, {"a":2}]`, v.id != StringID("7"), v.child.kind != "leaf":
		t.Errorf("got %+v", v)
	}
	if got := string(v.extra.AppendJSON(nil)); got != `{"X":1,"x":{"y":2}}` {
		t.Errorf("extra: %s", got)
	}
	if got := string(v.child.extra.AppendJSON(nil)); got != `{"k":{"deep":[]}}` {
		t.Errorf("extra of child: %s", got)
	}
}

func TestDecodeNames(t *testing.T) {
	text := []byte("{\"URI\":\"1\",\"uri\\u0000\":\"2\",\"\u017fize\":3,\"o\u212a\":true,\"Size\":4}")
	var v outer
	d := NewDecoder(text)
	if v.decode(&d); d.Err() != nil || v.uri != "" || v.size != 0 || v.ok || len(v.extra) != 5 {
		t.Errorf("a name that only resembles a known one was taken for it: %+v, %v", v, d.Err())
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct{ text, pointer, reason string }{
		{`[]`, "", "must be an object"}, {`null`, "", "must be an object"}, {``, "", "must be an object"},
		{`{"uri":1}`, "/uri", "must be a string"}, {`{"uri":null}`, "/uri", "must be a string"},
		{`{"x":{"uri":[]},"uri":{}}`, "/uri", "must be a string"},
		{`{"size":"1"}`, "/size", "must be an integer"}, {`{"size":1.5}`, "/size", "must be an integer"},
		{`{"size":1e400}`, "/size", "is out of range"},
		{`{"size":9223372036854775808}`, "/size", "is out of range"},
		{`{"size": -9223372036854775809}`, "/size", "is out of range"},
		{`{"ratio":true}`, "/ratio", "must be a number"}, {`{"ratio":1e999}`, "/ratio", "is out of range"},
		{`{"ok":1}`, "/ok", "must be a boolean"},
		{`{"ok":"true"}`, "/ok", "must be a boolean"}, {`{"id":1.5}`, "/id", reasonID}, {`{"id":null}`, "/id", reasonID},
		{`{"tags":{}}`, "/tags", "must be an array"}, {`{"tags":["a", "b" ,3]}`, "/tags/2", "must be a string"},
		{`{"tags":[["a"]]}`, "/tags/0", "must be a string"},
		{`{"child":[]}`, "/child", "must be an object"}, {`{"child":{"kind":"x"}}`, "/child/kind", `must be "leaf"`},
		{`{"a":[1,{"b":2}],"child":{"k":{"kind":"leaf"}}}`, "/child/kind", "is required"},
		{`{"child":{}}`, "/child/kind", "is required"},
	}
	for _, tt := range tests {
		var v outer
		d := NewDecoder([]byte(tt.text))
		v.decode(&d)
		if e, bad := errors.AsType[*DecodeError](d.Err()); !bad {
			t.Errorf("%s: accepted", tt.text)
		} else if e.Pointer != tt.pointer || e.Reason != tt.reason {
			t.Errorf("%s: got %q %q, want %q %q", tt.text, e.Pointer, e.Reason, tt.pointer, tt.reason)
		}
	}
	if e := (&DecodeError{Pointer: "/a", Reason: "b"}); e.Error() != "/a: b" {
		t.Error(e)
	}
}

func TestPointer(t *testing.T) {
	text := []byte(`{"a/b":{"~":[[],[0,{"":"x"}]]},"\u0061":1}`)
	for needle, want := range map[string]string{
		`{"a/b"`: "", `"a/b"`: "/a~1b", `{"~"`: "/a~1b", `[[`: "/a~1b/~0", `[]`: "/a~1b/~0/0", `[0`: "/a~1b/~0/1",
		`0,`:  "/a~1b/~0/1/0",
		`{""`: "/a~1b/~0/1/1", `"x"`: "/a~1b/~0/1/1/", `}]]`: "/a~1b/~0/1/1", `]},`: "/a~1b/~0", `,"\`: "", `1}`: "/a",
	} {
		if got := pointerAt(text, bytes.Index(text, []byte(needle))); got != want {
			t.Errorf("at %s: got %q, want %q", needle, got, want)
		}
	}
	long := `{"` + strings.Repeat("é", 10*maxPointer) + `":1}`
	if got := pointerAt([]byte(long), len(long)-2); len(got) > maxPointer+3 || !strings.HasSuffix(got, "é…") {
		t.Errorf("a long pointer is %d bytes", len(got))
	}
	deep := strings.Repeat(`[`, 100_000)
	if got := pointerAt([]byte(deep), len(deep)); len(got) > maxPointer+3 {
		t.Errorf("a deep pointer is %d bytes", len(got))
	}
}

func TestDecodeSticky(t *testing.T) {
	d := NewDecoder([]byte(`{"a":1,"b":2}`))
	d.Object()
	d.Next()
	_ = d.String()
	first := d.Err()
	if d.Fail("later"); d.Next() || d.Object() || d.Array() || d.More() || d.Null() || d.Bool() ||
		d.Kind() != KindInvalid {
		t.Error("a decoder goes on after a mistake")
	}
	d.Missing("x")
	if d.Int() != 0 || d.Float() != 0 || d.String() != "" || d.Raw() != nil || d.RawCopy() != nil ||
		d.Base64() != nil || !d.ID().IsZero() || d.Err() != first {
		t.Error("values or another error after a mistake")
	}
}

func TestDecodeNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64, "1e3": 1000, "10.0": 10,
		"1.5e1": 15, "-2.0": -2, "9007199254740992.0": 1 << 53,
	} {
		if d := NewDecoder([]byte(text)); d.Int() != want || d.Err() != nil {
			t.Errorf("%s: %v", text, d.Err())
		}
	}
	for _, text := range []string{
		"0", "-0", "1", "-1.5", "0.1", "123456789.123456", "0.000000000000001", "999999999999999", "1e22", "1e-7",
		"1.7976931348623157e308", "5e-324", "1e-999",
		"0.30000000000000004", "123456789012345678", "3.141592653589793",
	} {
		var want float64
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		d := NewDecoder([]byte(text))
		if got := d.Float(); math.Float64bits(got) != math.Float64bits(want) || d.Err() != nil {
			t.Errorf("%s: got %v, want %v, %v", text, got, want, d.Err())
		}
	}
}

func TestDecodeBase64(t *testing.T) {
	t.Attr("requirements", "res-encoding")
	for text, want := range map[string]string{`""`: "", `"YQ=="`: "a", `"YWI="`: "ab", `"YWJj"`: "abc",
		`"+/+\/"`: "\xfb\xff\xbf", `"\u0059Q=="`: "a"} {
		d := NewDecoder([]byte(text))
		if got := d.Base64(); string(got) != want || got == nil || d.Err() != nil {
			t.Errorf("%s: got %q, %v", text, got, d.Err())
		}
	}
	for _, text := range []string{
		`"YQ"`, `"YQ="`, `"YQ==="`, `"Y"`, `"="`, `"===="`, `"YR=="`, `"YWJ="`, `"-_-_"`, `"YW Jj"`, `"YWJj\n"`,
		`"Y\nQ=="`, `"\r\n\r\n"`, `"YWJj\r\n\r\n"`,
		`"YQ==YQ=="`, `"YQ==\n\n\n\n"`, `"\n\nYWJjYQ\n\n"`, `"é"`, `1`,
	} {
		d := NewDecoder([]byte(text))
		if got := d.Base64(); got != nil || d.Err() == nil {
			t.Errorf("%s: accepted as %q", text, got)
		}
	}
	data := bytes.Repeat([]byte{0, 1, 2, 250, 255}, 1000)
	d := NewDecoder(AppendBase64(nil, data))
	if got := d.Base64(); !bytes.Equal(got, data) {
		t.Error("round trip")
	}
	if got := string(AppendBase64(nil, data)); got != `"`+base64.StdEncoding.EncodeToString(data)+`"` {
		t.Error("AppendBase64 differs from the standard encoding")
	}
}

func TestLongStrings(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 255, 256, 257, 5000} {
		for _, piece := range []string{"a", "é", `\n`, `\u00e9`, `\ud83d\ude00`, `\"`, `\\`, "😀"} {
			text := []byte(`"` + strings.Repeat(piece, n) + `"`)
			var want string
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			d := NewDecoder(text)
			if got := d.String(); got != want || d.Err() != nil || Check(text, Limits{}) != nil {
				t.Errorf("%d × %s: %v", n, piece, d.Err())
			}
			d = NewDecoder(text)
			if got := d.Bytes(); string(got) != want || cap(got) < len(want) {
				t.Errorf("%d × %s: Bytes", n, piece)
			}
		}
	}
}

func TestLookAhead(t *testing.T) {
	d := NewDecoder([]byte(`[ {"type":"x","v":1} , 5]`))
	d.Array()
	d.More()
	if raw, ok := d.PeekMember("type"); !ok || string(raw) != `"x"` || string(d.Peek()) != `{"type":"x","v":1}` ||
		d.Kind() != KindObject {
		t.Errorf("got %s", raw)
	}
	if _, ok := d.PeekMember("none"); ok || d.Err() != nil {
		t.Error("looking ahead left a mistake behind")
	}
	if !d.Object() || !d.Next() || string(d.Name()) != "type" || !d.Next() || d.Int() != 1 || d.Next() || !d.More() ||
		d.Int() != 5 || d.More() || d.Err() != nil {
		t.Errorf("reading on: %v", d.Err())
	}
}

func TestLookup(t *testing.T) {
	text := []byte(` {"a":{"b\/c": [1] ,"b":2},"n":null, "\u0064":{"":"e"} } `)
	for path, want := range map[string]string{"a,b/c": "[1]", "a,b": "2", "n": "null", "d,": `"e"`,
		"a": `{"b\/c": [1] ,"b":2}`} {
		if got, ok := Lookup(text, strings.Split(path, ",")...); !ok || string(got) != want {
			t.Errorf("%s: got %q, %v", path, got, ok)
		}
	}
	for _, path := range []string{"A", "a,c", "n,x", "a,b,c", "a,b/c,0", ""} {
		if got, ok := Lookup(text, strings.Split(path, ",")...); ok {
			t.Errorf("%s: got %q", path, got)
		}
	}
	if got, ok := Lookup(text); !ok || len(got) != len(text)-2 {
		t.Errorf("the empty path: %q", got)
	}
	for _, bad := range []string{"", "{", `{"a"`, `{"a":`, "[1]", `{"a":}`} {
		if got, ok := Lookup([]byte(bad), "a"); ok {
			t.Errorf("%s: got %q", bad, got)
		}
	}
}

func TestKindOf(t *testing.T) {
	for text, want := range map[string]Kind{
		" {": KindObject, "\n[": KindArray, `"`: KindString, "-": KindNumber, "7": KindNumber, "true": KindBool,
		"f": KindBool, "null": KindNull,
		"": KindInvalid, " ": KindInvalid, "x": KindInvalid, "}": KindInvalid, "\ufeff1": KindInvalid, "+1": KindInvalid,
	} {
		if got := KindOf([]byte(text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if Kind(99).String() != "nothing" || KindObject.String() != "object" {
		t.Error("names of kinds")
	}
}

func TestElements(t *testing.T) {
	for text, want := range map[string]int{
		`[]`: 0, ` [ ] `: 0, `[1]`: 1, `["a","b,]"]`: 2, `[ [1,2] , {"a":[3,4]} , null ]`: 3,
		`{}`: 0, `"[1,2]"`: 0, `7`: 0, ``: 0, `[1,`: 1, `[1`: 1, `["`: 1,
		`[1` + strings.Repeat(",1", 10_000) + `]`: 10_001, `[1` + strings.Repeat(",1", 10_000): 10_001,
	} {
		d := NewDecoder([]byte(text))
		if n := d.Elements(); n != want {
			t.Errorf("%.30s: %d elements, want %d", text, n, want)
		}
	}
}

// Arrays in arrays are not counted again and again.
func TestElementsOfArraysInArrays(t *testing.T) {
	const deep, long = 100, 10_000
	d := NewDecoder([]byte(strings.Repeat("[", deep) + strings.Repeat("1,", long) + "1" + strings.Repeat("]", deep)))
	for i := range deep {
		if n := d.Elements(); i < deep-1 && n != 1 || n > long+1 {
			t.Errorf("%d elements in array %d", n, i)
		}
		d.Array()
		d.More()
	}
	if d.counted > (maxCounted+1)*len(d.text) {
		t.Errorf("looked at %d bytes of %d", d.counted, len(d.text))
	}
}

func TestDecodedSize(t *testing.T) {
	for text, want := range map[string]int64{
		`7`: 0, `[1,2]`: 2, `{"a,[{":"x\\\"{,","b":[{},{}]}`: 6,
	} {
		if n := DecodedSize([]byte(text)) / valueSize; n != want {
			t.Errorf("%s has %d values, want %d", text, n, want)
		}
	}
}
