package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/schema"
)

// Every kind of difference has a name and says what it means.
func TestDiffNamesEveryKind(t *testing.T) {
	object := func(properties, more string) string {
		return `{"type": "object", "properties": {` + properties + `}` + more + `}`
	}
	const method = `{"type": "object", "properties": {"method": {"const": "a/b", "type": "string"}}, "required": ["method"]}`
	const refs = `{"anyOf": [{"$ref": "#/$defs/M"}]}`
	a, b := `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
		`{"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}`
	older := object(`"n": {"type": "integer", "minimum": 1, "maximum": 10}, "s": {"type": "string", "format": "uri", "pattern": "a"},
		"d": {"type": "string", "default": "x"}, "w": {"type": "integer"}, "v": {"type": "number"}, "r": {"type": "string"}, "gone": {"type": "string"},
		"l": {"type": "array", "items": {"type": "string", "maxLength": 9}}`, "")
	newer := object(`"n": {"type": "integer", "minimum": 2, "maximum": 20}, "s": {"type": "string", "format": "email"},
		"d": {"type": "string", "default": "y"}, "w": {"type": "number"}, "v": {"type": "integer"}, "r": {"type": "string"}, "came": {"type": "string"},
		"l": {"type": "array", "items": {"type": "string", "maxLength": 5}}`, `, "required": ["r", "came"], "additionalProperties": false`)
	x := parsed(t, "2030-01-01", `"X": `+older+`, "A": `+a+`, "B": `+b+`, "U": {"anyOf": [{"$ref": "#/$defs/A"}]},
		"E": {"enum": ["p", "q"], "type": "string"}, "M": `+method+`, "ClientRequest": `+refs+`, "Old": `+a)
	y := parsed(t, "2030-01-02", `"X": `+newer+`, "A": `+a+`, "B": `+b+`, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
		"E": {"enum": ["q", "r"], "type": "string"}, "M": `+method+`, "ServerRequest": `+refs+`, "New": `+a)
	ex, err := schema.ParseExceptions([]byte(`{"aliases": [{"name": "Old", "to": "New"}], "roles": [
		{"name": "ClientRequest", "from": "client", "kind": "request"}, {"name": "ServerRequest", "from": "server", "kind": "request"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := Diff([]*schema.Schema{x, y}, x, y, ex)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		word, _, _ := strings.Cut(c.Means, ":")
		got = append(got, fmt.Sprintf("%s %s %s %s: %s", c.Kind, c.What, c.Go, c.Wire, word))
	}
	for _, want := range []string{
		`rule changed X.N X.n minimum: narrower`, `rule changed X.N X.n maximum: wider`, `rule changed X.S X.s format: narrower`,
		`rule removed X.S X.s pattern: wider`, `rule changed X.D X.d default: another default`, `rule changed X.L X.l[] maxLength: narrower`,
		`rule added X X additionalProperties: narrower`, `field changed X.W w: wider type`, `field changed X.V v: narrower type`,
		`field changed X.R r: required now`, `field added X.Came came: new and required`, `field removed X.Gone gone: gone`,
		`member added U B: new`, `value added ER r: new`, `value removed EP p: gone`, `method changed MethodAB a/b: moved`,
		`type renamed New New: another name in the schema only`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(got, "\n"))
	}
}

func parsed(t *testing.T, revision, defs string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse(revision+".json", revision, []byte(`{"$defs": {`+defs+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
