package eventrecord_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/eventrecord"
)

const (
	args = `{"type":"object","properties":{"level":{"type":"string","enum":["low","high"]}},` +
		`"additionalProperties":false}`
	payload = `{"type":"object","properties":{"id":{"type":"string"},"count":{"type":"integer","minimum":0},` +
		`"tree":{"$ref":"#/$defs/Tree"},"list":{"oneOf":[{"$ref":"#/$defs/List"},{"type":"null"}]},` +
		`"place":{"oneOf":[{"type":"object","properties":{"room":{"type":"string"}}},{"type":"null"}]}},` +
		`"required":["id","tree"],` +
		`"$defs":{"Tree":{"type":"object","properties":{"of":{"type":"array","items":{"$ref":"#/$defs/Tree"}}}},` +
		`"List":{"type":"object","properties":{"head":{"type":"string"},` +
		`"tail":{"oneOf":[{"$ref":"#/$defs/List"},{"type":"null"}]}}}}}`
)

// change is a change of a schema: of the arguments or the payload, and what subscribers cannot follow of it.
type change struct{ in, from, to, want string }

// TestChanges changes one text of a schema at a time, and wants to hear what subscribers cannot follow.
func TestChanges(t *testing.T) {
	t.Attr("requirements", "event-evolve")
	for _, x := range []change{
		{"args", `"properties"`, `"description":"d","properties"`, ""},
		{"args", `"level":`, `"more":{"type":"string"},"level":`, ""},
		{"args", `"high"]`, `"high","critical"]`, ""},
		{"args", `,"enum":["low","high"]`, ``, ""},
		{"args", `["low","high"]`, `["low"]`, "argument `level` cannot be high any more"},
		{"args", `"type":"string",`, `"type":"string","minLength":1,`,
			"argument `level` had no `minLength`, and has `minLength` 1"},
		{"args", `"type":"string",`, `"type":"string","default":"low",`,
			"argument `level` had no `default`, and has `default` \"low\""},
		{"args", `"level":`, `"other":`, "argument `level` is gone"},
		{"args", `},"add`, `},"required":["level"],"add`, "argument `level` is required, and was not"},
		{"args", args, ``, "argument `level` is gone"},
		{"payload", `"count":`, `"more":{"type":"string"},"count":`, ""},
		{"payload", `"required":[`, `"required":["count",`, ""},
		{"payload", `"minimum":0`, `"minimum":1`, ""},
		{"payload", `"minimum":0`, `"minimum":-1`, "member of the payload `count` had `minimum` 0, and has `minimum` -1"},
		{"payload", `"required":["id",`, `"required":[`, "member of the payload `id` may be left out, and was always there"},
		{"payload", `"integer"`, `"number"`,
			"member of the payload `count` had `type` \"integer\", and has `type` \"number\""},
		{"payload", `"of":`, `"on":`, "member of the payload `tree.of` is gone"},
		{"payload", `Tree`, `Branch`, ""},
		{"payload", `"items":{"$ref":"#/$defs/Tree"}`, `"items":{"type":"string"}`,
			"member of the payload `tree.of[]` had `type` \"object\", and has `type` \"string\""},
		{"payload", `"head":`, `"more":{"type":"string"},"head":`, ""},
		{"payload", `"head":`, `"first":`, "member of the payload `list.head` is gone"},
		{"payload", `"room":`, `"more":{"type":"string"},"room":`, ""},
		{"payload", `"room":`, `"hall":`, "member of the payload `place.room` is gone"},
		{"payload", `}}},{"type":"null"}`, `}}}`, "member of the payload `place` had `oneOf` " +
			`[{"properties":{"room":{"type":"string"}},"type":"object"},{"type":"null"}], and has ` + "`oneOf` " +
			`[{"properties":{"room":{"type":"string"}},"type":"object"}]`},
	} {
		x.try(t)
	}
}

// try makes the change, and accepts it if it has to be.
func (x change) try(t *testing.T) {
	t.Helper()
	r := eventrecord.Record{}
	if _, _, err := r.Add("s", "e", args, payload, false); err != nil {
		t.Fatal(err)
	}
	a, p := strings.ReplaceAll(args, x.from, x.to), payload
	if x.in != "args" {
		a, p = args, strings.ReplaceAll(payload, x.from, x.to)
	}
	if a == args && p == payload {
		t.Fatalf("%+v changes nothing", x)
	}
	before := text(t, r)
	now, breaks, err := r.Add("s", "e", a, p, false)
	if got := strings.Join(breaks, "\n"); got != x.want || err != nil || now.Schema != 0 {
		t.Errorf("%s %s: %d %q %v, want %q", x.from, x.to, now.Schema, got, err, x.want)
	}
	if x.want == "" {
		return
	}
	if text(t, r) != before {
		t.Errorf("%s %s changes the record", x.from, x.to)
	}
	now, breaks, err = r.Add("s", "e", a, p, true)
	if now.Schema != 1 || (now.InputOnly == 1) != (x.in == "args") || breaks != nil || err != nil {
		t.Errorf("accepted %s: %+v %q %v", x.from, now, breaks, err)
	}
}

func text(t *testing.T, r eventrecord.Record) string {
	t.Helper()
	b, err := r.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A record only grows: an event that is gone stays in it, and is compared when it comes back.
func TestGrows(t *testing.T) {
	r := eventrecord.Record{}
	for _, name := range []string{"a", "b"} {
		if _, _, err := r.Add("s", name, args, payload, false); err != nil {
			t.Fatal(err)
		}
	}
	r, err := eventrecord.Read([]byte(text(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	_, breaks, err := r.Add("s", "b", args, `{"type":"object","properties":{}}`, false)
	if err != nil || len(breaks) != 5 {
		t.Error(breaks, err)
	}
	if !json.Valid([]byte(text(t, r))) || !strings.Contains(text(t, r), `"a": {`) {
		t.Error(text(t, r))
	}
}

func TestBadRecord(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{``, "EOF"},
		{`[]`, "cannot unmarshal array"},
		{`null`, "it is no object"},
		{`{"s":{}} {"t":{}}`, "something stands behind the record"},
		{`{"s":{}} }`, "something stands behind the record"},
		{`{"s":{"e":null}}`, "no payload"},
		{`{"s":{"e":{"schema":-1,"payload":{}}}}`, "no payload"},
		{`{"s":{"e":{"x":1}}}`, "unknown field"},
	} {
		if _, err := eventrecord.Read([]byte(x.text)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.text, err, x.want)
		}
	}
}

// Whatever is in a file that can be read, events are compared with it.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`null`, `{}`, `{"s":null}`, `{"s":{"e":{"schema":0,"arguments":` + args + `,"payload":` + payload + `}}}`,
		`{"s":{"e":{"schema":1,"payload":{"type":"object","properties":{"id":{"type":"string","enum":[[1],{"a":2}]}}}}}}`,
		`{"s":{"e":{"schema":0,"arguments":{"type":"object","properties":{"level":{"type":"string","enum":[[]]}}},` +
			`"payload":{"type":"object","properties":{"tree":{"$ref":"#/$defs/T"}},` +
			`"$defs":{"T":{"items":{"$ref":"#/$defs/T"}}}}}}}`,
	} {
		f.Add([]byte(seed), payload)
	}
	f.Add([]byte(`{"s":{"e":{"schema":0,"payload":{"enum":[[1]]}}}}`), `{"enum":[[1],{}]}`)
	f.Add([]byte(`{"s":{"e":{"schema":0,"payload":{"items":{"$ref":"#/$defs/T"},`+
		`"$defs":{"T":{"items":{"$ref":"#/$defs/T"}}}}}}}`), `{"items":{}}`)
	f.Fuzz(func(t *testing.T, data []byte, payload string) {
		r, err := eventrecord.Read(data)
		var object map[string]any
		if err != nil || json.Unmarshal([]byte(payload), &object) != nil || object == nil {
			return
		}
		for _, accept := range []bool{false, true} {
			if _, _, err := r.Add("s", "e", args, payload, accept); err != nil {
				t.Fatal(err)
			}
		}
		if _, breaks, err := r.Add("s", "e", args, payload, false); len(breaks) > 0 || err != nil {
			t.Errorf("what was recorded differs from itself: %q, %v", breaks, err)
		}
		if _, err := eventrecord.Read([]byte(text(t, r))); err != nil {
			t.Errorf("what was written cannot be read: %v", err)
		}
	})
}
