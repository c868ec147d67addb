package protocolir

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/schema"
)

// FuzzProtocol builds the protocol of two revisions from any pair of schemas that can be parsed. It ends, with a result
// or with an error.
func FuzzProtocol(f *testing.F) {
	defs := func(s string) []byte { return []byte(`{"$defs": {` + s + `}}`) }
	for _, s := range []string{
		`"A": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}`,
		`"A": {"$ref": "#/$defs/A"}`, `"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}`,
		`"A": {"anyOf": [{"$ref": "#/$defs/A"}]}`,
		`"A": {"allOf": [{"$ref": "#/$defs/A"}], "type": ["object", "null"]}`,
		`"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}`,
		`"A": {"enum": ["a", 1, null]}`,
		`"A": {"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}}}, {"type": "string"}]}`,
		`"A": {"type": "object", "properties": {"method": {"const": "a/b"}, "params": {"type": "object", "additionalProperties": {}}}, "required": ["method"]}`,
		`"ServerRequest": {"anyOf": [{"$ref": "#/$defs/R"}]}, "R": {"type": "object", "properties": {"method": {"const": "x"}}}`, `"type": {}, "func": {"type": "integer"}`,
	} {
		f.Add(defs(s), defs(strings.ReplaceAll(s, "string", "number")))
	}
	ex, err := schema.ParseExceptions([]byte("{}"))
	if err != nil {
		f.Fatal(err)
	}
	docs, err := schema.ParseDocs(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		a, err := schema.Parse("a.json", "2030-01-01", one)
		if err != nil {
			return
		}
		list := []*schema.Schema{a}
		if b, err := schema.Parse("b.json", "2030-01-02", two); err == nil {
			list = append(list, b)
		}
		p, err := Protocol(list, Tables{ex, docs, &schema.API{}})
		if p == nil && err == nil {
			t.Fatal("neither a result nor an error")
		}
	})
}
