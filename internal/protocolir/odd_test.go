package protocolir

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// Schemas that no revision has had: each becomes what it says, or an error or a warning that names the place.
func TestOddSchemas(t *testing.T) {
	const a = `"A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, `
	const refA, refU = `{"$ref": "#/$defs/A"}`, `{"$ref": "#/$defs/U"}`
	const x = `"X": {"type": "object", "properties": {"p": ` + refU + `}}, `
	request := func(def, param string) string {
		return `"` + def + `": {"type": "object", "properties": {"method": {"const": "a/b", "type": "string"}, "params": {"type": "object",
			"properties": {"` + param + `": {"type": "string"}}}}, "required": ["method"]}, `
	}
	for name, tt := range map[string]struct{ defs, fields, message string }{
		"a union of itself and a list of itself": {
			a + x + `"U": {"anyOf": [` + refA + `, {"type": "array", "items": ` + refU + `}]}`, "P json.RawMessage 1", ""},
		"a reference and a text": {a + x + `"U": {"anyOf": [` + refA + `, {"type": "string"}]}`, "P json.RawMessage 1", ""},
		"a reference to a text": {
			a + x + `"S": {"type": "string"}, "U": {"anyOf": [` + refA + `, {"$ref": "#/$defs/S"}]}`, "P json.RawMessage 1", ""},
		"members of one shape": {
			a + x + `"B": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, "U": {"anyOf": [` +
				refA +
				`, {"$ref": "#/$defs/B"}]}`, "P U 1", "warning: the members of U cannot be told apart"},
		"members of one constant": {
			x + `"B": {"type": "object", "properties": {"type": {"const": "a"}}, "required": ["type"]}, "C": {"type": "object", "properties":
				{"type": {"const": "a"}}, "required": ["type"]}, "U": {"anyOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]}`,
			"P U 1", "warning: B and C cannot be told apart as members of U"},
		"two requests of one method": {
			request("OneRequest", "n") + request("TwoRequest", "m") +
				`"ClientRequest": {"anyOf": [{"$ref": "#/$defs/OneRequest"}, {"$ref": "#/$defs/TwoRequest"}]}`,
			"", `error: TwoRequest has the method "a/b", and so has OneRequest`},
		"a request that nobody sends": {
			request("OneRequest", "n") + request("TwoRequest", "m") +
				`"ClientRequest": {"anyOf": [{"$ref": "#/$defs/OneRequest"}]}`,
			"", ""}, // they have one method
		"another request that nobody sends": {
			request("OneRequest", "n") + `"TwoRequest": {"type": "object", "properties": {"method": {"const": "c/d", "type": "string"}},
				"required": ["method"]}, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/OneRequest"}]}`,
			"", `error: no list says who sends TwoRequest, and nothing else refers to it; add it to ClientRequest`},
		"members beside a reference": {
			a + `"X": {"type": "object", "properties": {"p": {"$ref": "#/$defs/A", "properties": {"b": {"type": "string"}}}}}`,
			"P *XP 1", ""},
		"a list beside a reference": {
			a + `"X": {"type": "object", "properties": {"p": {"$ref": "#/$defs/A", "anyOf": [{"type": "string"}]}}}`,
			"", `error: "anyOf" beside $ref is not supported`},
		"a byte order mark": {"\ufeff" + a + `"X": {"type": "object", "properties": {"p": ` + refA + `}}`, "P *A 1", ""},
	} {
		text := `{"$defs": {` + tt.defs + `}}`
		if rest, ok := strings.CutPrefix(tt.defs, "\ufeff"); ok {
			text = "\ufeff" + `{"$defs": {` + rest + `}}`
		}
		fields, messages := mergeOdd(t, text)
		if tt.fields != fields && tt.fields != "" {
			t.Errorf("%s: fields %q, want %q", name, fields, tt.fields)
		}
		if (tt.message == "") != (messages == "") || !strings.Contains(messages, tt.message) || messages != "" &&
			!strings.HasPrefix(messages, "odd.json:") {
			t.Errorf("%s: says %q, want %q", name, messages, tt.message)
		}
	}
}

// What the parts of an allOf say of a member holds beside its constant.
func TestConstantsInAllOf(t *testing.T) {
	for name, tt := range map[string]struct{ defs, fields, message string }{
		"a constant that an included object refuses": {
			`"B": {"type": "object", "properties": {"p": {"type": "integer"}}}, "X": {"allOf": [{"$ref": "#/$defs/B"}],
				"properties": {"p": {"const": "x", "type": "string"}}, "required": ["p"]}`,
			"", `odd.json:1:51: error: X.p is always "x", and no such value is valid here`},
		"a constant that another one refuses": {
			`"B": {"type": "object", "properties": {"p": {"const": "y"}}}, "X": {"allOf": [{"$ref": "#/$defs/B"}],
				"properties": {"p": {"const": "x", "type": "string"}}, "required": ["p"]}`,
			"", `error: X.p is always "x", and no such value is valid here`},
		"a constant of an included enumeration": {
			`"E": {"enum": ["x", "y"]}, "B": {"type": "object", "properties": {"p": {"$ref": "#/$defs/E"}}}, "X": {"allOf":
				[{"$ref": "#/$defs/B"}], "properties": {"p": {"const": "x", "type": "string"}}, "required": ["p"]}`,
			"P = x 1", ""},
	} {
		fields, messages := mergeOdd(t, `{"$defs": {`+tt.defs+`}}`)
		if fields != tt.fields || (tt.message == "") != (messages == "") || !strings.Contains(messages, tt.message) {
			t.Errorf("%s: fields %q, want %q; says %q, want %q", name, fields, tt.fields, messages, tt.message)
		}
	}
}

// An object that contains itself through an alias or a union is one struct.
func TestObjectsThatContainThemselves(t *testing.T) {
	const a = `"A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, `
	const refA, refU = `{"$ref": "#/$defs/A"}`, `{"$ref": "#/$defs/U"}`
	const x = `"X": {"type": "object", "properties": {"p": ` + refU + `}}, `
	for name, tt := range map[string]struct{ defs, fields, message string }{
		"a list of objects with such a list": {
			`"X": {"type": "object", "properties": {"p": ` + refU + `}},
				"U": {"type": "array", "items": {"type": "object", "properties": {"more": ` + refU + `}}}`, "P []UStruct 1", ""},
		"an object beside a type that contains itself": {
			x + `"U": {"type": "string", "properties": {"more": {"anyOf": [` + refU + `, {"type": "null"}]}}}`,
			"P *U 1", "warning: U is an alias here"},
		"a union with an object that has it": {
			a + x + `"U": {"anyOf": [` + refA + `, {"type": "object", "properties": {"more": {"anyOf": [` + refU + `, ` + refA +
				`]}}, "required": ["more"]}]}`, "P U 1", ""},
		"an object that includes itself": {
			`"X": {"allOf": [{"$ref": "#/$defs/X"}], "properties": {"p": {"type": "string"}}}`, "", "error: "},
	} {
		fields, messages := mergeOdd(t, `{"$defs": {`+tt.defs+`}}`)
		if fields != tt.fields || (tt.message == "") != (messages == "") || !strings.Contains(messages, tt.message) {
			t.Errorf("%s: fields %q, want %q; says %q, want %q", name, fields, tt.fields, messages, tt.message)
		}
	}
}

// mergeOdd returns the fields of X and what was said.
func mergeOdd(t *testing.T, text string) (fields, messages string) {
	t.Helper()
	ex, err := schema.ParseExceptions([]byte(laterRoles))
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := schema.ParseDocs(nil)
	s, err := schema.Parse("odd.json", "2030-01-01", []byte(text))
	if err != nil {
		return "", err.Error()
	}
	r, err := Protocol([]*schema.Schema{s}, Tables{ex, docs, &schema.API{}})
	if err != nil {
		return "", err.Error()
	}
	for _, w := range r.Warnings {
		if _, undocumented := w.(*UndocumentedError); !undocumented {
			messages += w.Error()
		}
	}
	return strings.ReplaceAll(fieldsOfX(&ir.Protocol{Structs: r.Protocol.Structs}), " 01", " 1"), messages
}
