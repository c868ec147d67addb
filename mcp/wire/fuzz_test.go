package wire

import (
	"bytes"
	"reflect"
	"testing"
	"unicode/utf8"
)

func seedJSON(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `"a\u00e9\ud83d\ude00"`, `-1.5e+7`, `{"a":1,"\u0061":2}`,
		`{"a":{"b":[1,{"c":null}]},"d":"e"}`, `[[[[`, `{"a"`, `"\ud800"`, `"\`,
		"\ufeff{}", "{}\x00", `{"k":1,"k\u0000":2}`, `[1,2,{"a":[true,false]}] `, `[,]`, `{,}`, `{"a":1,,"b":2}`,
		`{"jsonrpc":"2.0","id":"x","method":"m","params":{}}`,
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"method":"m","id":1,"jsonrpc":"2.0"}`,
		`{"\u0069d" : 1 , "jsonrpc":"2.0","result": [ ] }`,
		manyNames(40, `{"x":1}`) + `"k3":1}`, string(modernRead),
	} {
		f.Add([]byte(s))
	}
}

// FuzzCheck looks for panics, for offsets outside the text, and for a pooled checker that remembers an earlier text.
func FuzzCheck(f *testing.F) {
	seedJSON(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		e := check(text, Limits{})
		if e != nil && (e.Offset < 0 || e.Offset > len(text) || e.Reason == "" || len(e.Reason) > 80) {
			t.Fatalf("bad error %+v", e)
		}
		if again := check(text, Limits{}); (again == nil) != (e == nil) || e != nil && *again != *e {
			t.Fatalf("first %v, then %v", e, again)
		}
		if e == nil && !utf8.Valid(text) {
			t.Fatal("invalid UTF-8 was accepted")
		}
		if m, bad := ParseMessage(text, Limits{}); bad == nil && m.IsRequest() == m.IsResponse() && !m.IsNotification() {
			t.Fatalf("no sort of message: %+v", m)
		}
		if e == nil {
			one, first := ParseMessage(text, Limits{})
			two, second := ParseChecked(text)
			if !reflect.DeepEqual(one, two) || !reflect.DeepEqual(first, second) {
				t.Fatalf("in one pass %+v, %v, in two %+v, %v", one, first, two, second)
			}
		}
		_, _ = SplitBatch(text, Limits{})
	})
}

// walk reads any value with every sort of call and writes it again.
func walk(d *Decoder, b []byte, depth int) []byte {
	switch d.Kind() {
	case KindObject:
		b = append(b, '{')
		for ok := depth < 200 && d.Object(); ok && d.Next(); {
			b = append(AppendString(b, string(d.Name())), ':')
			b = append(walk(d, b, depth+1), ',')
		}
		return EndObject(b)
	case KindArray:
		b = append(b, '[')
		for ok := depth < 200 && d.Array(); ok && d.More(); {
			b = append(walk(d, b, depth+1), ',')
		}
		return EndArray(b)
	case KindString:
		return AppendString(b, d.String())
	case KindNumber:
		return append(b, d.Raw()...)
	case KindBool:
		return AppendBool(b, d.Bool())
	case KindNull:
		d.Null()
		return append(b, "null"...)
	}
	d.Fail("no value")
	return b
}

// FuzzDecode reads any text: without a panic and to an end if it is bad, and without a mistake if Check accepts it, in
// which case writing and reading it again changes nothing.
func FuzzDecode(f *testing.F) {
	seedJSON(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for off := range min(len(text), 64) {
			pointerAt(text, off)
		}
		var v outer
		loose := NewDecoder(text)
		v.decode(&loose)
		for _, read := range []func(*Decoder){
			func(d *Decoder) { d.Int() }, func(d *Decoder) { d.Float() }, func(d *Decoder) { d.Base64() },
			func(d *Decoder) { d.ID() }, func(d *Decoder) { d.More() },
			func(d *Decoder) { d.Next() }, func(d *Decoder) { d.Extra(new(Extra)) }, func(d *Decoder) { d.Missing("x") },
		} {
			d := NewDecoder(text)
			read(&d)
		}
		_, _ = ParseChecked(text)
		_, _ = Lookup(text, "a", "b")
		d := NewDecoder(text)
		out := walk(&d, nil, 0)
		if Check(text, Limits{}) != nil {
			return
		}
		if d.Err() != nil {
			t.Fatalf("%q: %v", text, d.Err())
		}
		if err := Check(out, Limits{}); err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		d = NewDecoder(out)
		if again := walk(&d, nil, 0); !bytes.Equal(again, out) {
			t.Fatalf("%q, then %q", out, again)
		}
	})
}

// FuzzURI checks that building and taking apart a URI are inverse, and that no variable can change the shape of the URI
// that it is put into.
func FuzzURI(f *testing.F) {
	for _, s := range []string{"", "x", "a/b", "..", "%2e%2e", "a?b#c", "é", "\x00", "\xff", "a://h/x?y=z", "urn:isbn:1",
		"C:\\x", "%", "a%2", "+ &="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var p Path
		if p.Split(s) && !p.Opaque && p.Scheme+"://"+p.Tail(0) != s[:len(p.Scheme)+3+len(p.Tail(0))] {
			t.Fatalf("%q: %+v", s, p)
		}
		SafeText(s)
		plain, ok := Unescape(s)
		if ok && (!utf8.ValidString(plain) || len(plain) > len(s)) {
			t.Fatalf("%q became %q", s, plain)
		}
		if len(s) > 10_000 {
			return
		}
		uri := string(AppendSegment([]byte("x://h/"), s)) + "/end?k=" + string(AppendSegment(nil, s))
		if !p.Split(uri) || p.N != 3 || p.Seg[2] != "end" {
			t.Fatalf("%q in %q: %+v", s, uri, p)
		}
		value, _ := p.Param("k")
		for _, raw := range []string{p.Seg[1], value} {
			if got, ok := Unescape(raw); ok != cleanText(s) || ok && got != s {
				t.Fatalf("%q came back as %q, %v", s, got, ok)
			}
		}
		if !p.Split(string(AppendReserved([]byte("x://h/"), s))) || p.HasQuery || p.Seg[0] != "h" {
			t.Fatalf("%q changed the URI: %+v", s, p)
		}
		if got, ok := Unescape(p.Tail(1)); ok != cleanText(s) || ok && got != s {
			t.Fatalf("%q came back as %q, %v", s, got, ok)
		}
	})
}
