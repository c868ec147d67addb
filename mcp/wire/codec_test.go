package wire

import (
	"encoding/json"
	"testing"
)

// pair is what generated structs look like. Its first form has no b.
type pair struct{ a, b string }

func (p *pair) AppendJSON(b []byte, form int) []byte {
	b = append(b, `{"a":`...)
	b = append(AppendString(b, p.a), ',')
	if form > 1 {
		b = append(AppendString(append(b, `"b":`...), p.b), ',')
	}
	return EndObject(b)
}

func (p *pair) DecodeJSON(d *Decoder, form int) {
	if !d.Object() {
		return
	}
	for d.Next() {
		switch string(d.Name()) {
		case "a":
			p.a = d.String()
		case "b":
			p.b = d.String()
		}
	}
	if form > 1 && p.b == "" {
		d.Missing("b")
	}
}

func appendPair(b []byte, form int, p *pair) []byte { return p.AppendJSON(b, form) }
func decodePair(d *Decoder, form int) *pair         { return DecodeValue[pair](d, form) }

// TestContainers reads each text and expects the same text back, or a mistake at a pointer.
func TestContainers(t *testing.T) {
	list := func(d *Decoder) []byte { return AppendList(nil, 2, DecodeList[pair](d, 2)) }
	unions := func(d *Decoder) []byte { return AppendUnions(nil, 2, DecodeUnions(d, 2, decodePair), appendPair) }
	many := func(d *Decoder) []byte {
		return AppendOneOrMany(nil, 2, DecodeOneOrMany(d, 2, decodePair), true, appendPair)
	}
	strs := func(d *Decoder) []byte { return AppendSlice(nil, DecodeSlice(d, (*Decoder).String), AppendString) }
	ids := func(d *Decoder) []byte { return AppendMap(nil, DecodeMap(d, (*Decoder).ID), AppendID) }
	structMap := func(d *Decoder) []byte { return AppendStructMap(nil, 2, DecodeStructMap[pair](d, 2)) }
	unionMap := func(d *Decoder) []byte { return AppendUnionMap(nil, 2, DecodeUnionMap(d, 2, decodePair), appendPair) }
	object := func(d *Decoder) []byte { return AppendObject(nil, DecodeObject(d)) }
	for _, c := range []struct {
		name string
		f    func(*Decoder) []byte
		text string
		bad  string // pointer of the mistake
	}{
		{"list", list, `[]`, ""}, {"list", list, `[{"a":"1","b":"2"},{"a":"3","b":"4"}]`, ""},
		{"list", list, `[{"a":"1"}]`, "/0/b"}, {"list", list, `{}`, ""},
		{"unions", unions, `[{"a":"1","b":"2"}]`, ""}, {"unions", unions, `[{"a":"1","b":"2"},{}]`, "/1/b"},
		{"many", many, `{"a":"1","b":"2"}`, ""}, {"many", many, `[]`, ""},
		{"many", many, `[{"a":"1","b":"2"},{"a":"3","b":"4"}]`, ""}, {"many", many, `7`, ""},
		{"strings", strs, `["x","y"]`, ""}, {"strings", strs, `["x",1]`, "/1"},
		{"ids", ids, `{"b":1,"a":"1"}`, ""}, {"ids", ids, `{"b":null}`, "/b"},
		{"structs", structMap, `{"z":{"a":"1","b":"2"},"y":{"a":"","b":"x"}}`, ""},
		{"structs", structMap, `{"z":{}}`, "/z/b"},
		{"union map", unionMap, `{"z":{"a":"1","b":"2"}}`, ""}, {"union map", unionMap, `[]`, ""},
		{"object", object, `{"a":[1,{}]}`, ""}, {"object", object, `[]`, ""},
	} {
		d := NewDecoder([]byte(c.text))
		got := string(c.f(&d))
		err, _ := d.Err().(*DecodeError)
		switch {
		case err == nil && got != c.text:
			t.Errorf("%s %s: got %s", c.name, c.text, got)
		case c.bad != "" && (err == nil || err.Pointer != c.bad):
			t.Errorf("%s %s: error %v, want one at %s", c.name, c.text, err, c.bad)
		}
	}
}

func TestOneOrManyWithoutLists(t *testing.T) {
	two := []*pair{{a: "1"}, {a: "2"}}
	if got := string(AppendOneOrMany(nil, 1, two, false, appendPair)); got != `{"a":"1"}` {
		t.Errorf("got %s", got)
	}
	if got := string(AppendOneOrMany(nil, 1, two, true, appendPair)); got != `[{"a":"1"},{"a":"2"}]` {
		t.Errorf("got %s", got)
	}
}

func TestMapKeepsOrder(t *testing.T) {
	m := Map[int]{{"b", 1}}
	m.Set("a", 2)
	m.Set("b", 3)
	v, ok := m.Get("b")
	if _, missing := m.Get("c"); len(m) != 2 || m[1].Name != "a" || v != 3 || !ok || missing {
		t.Errorf("map is %v", m)
	}
}

func TestPeekText(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"a"}`:            "a",
		`{"x":{"type":"b"}}`:      "",
		`{"t\u0079pe":"\u0061b"}`: "ab",
		`{"type":1}`:              "",
		`[]`:                      "",
	} {
		d := NewDecoder([]byte(text))
		if got := string(d.PeekText("type")); got != want || d.Err() != nil {
			t.Errorf("%s: %q, %v", text, got, d.Err())
		}
		if MemberIs([]byte(text), "type", "a") != (want == "a") {
			t.Errorf("MemberIs is wrong about %s", text)
		}
	}
}

func TestLiteral(t *testing.T) {
	for text, want := range map[string]bool{`"a"`: true, `"\u0061"`: true, `"b"`: false, `1`: false} {
		d := NewDecoder([]byte(text))
		if got := d.Literal("a"); got != want || (d.Err() == nil) != want {
			t.Errorf("%s: %v, %v", text, got, d.Err())
		}
	}
}

func TestAppendObjectOfNothing(t *testing.T) {
	if got := string(AppendObject(nil, nil)) + string(AppendAny(nil, json.RawMessage(" [1 ]"))); got != "{}[1]" {
		t.Errorf("got %s", got)
	}
}
