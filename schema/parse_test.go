package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	defs := func(body string) string { return "{\n\t\"$defs\": {\n\t\t\"A\": " + body + "\n\t}\n}\n" }
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "s.json:1:1: error: the file ends in the middle of a value"},
		"truncated":         {`{"$defs": {`, "s.json:1:12: error: the file ends in the middle of a value"},
		"not an object":     {`[]`, "s.json:1:1: error: a schema file must be an object"},
		"no definitions":    {`{}`, "s.json:1:1: error: neither $defs nor definitions"},
		"empty definitions": {`{"$defs": {}}`, "s.json:1:11: error: $defs has no definitions"},
		"two containers": {`{"$defs": {"A": {}}, "definitions": {"A": {}}}`,
			"s.json:1:11: error: both $defs and definitions"},
		"trailing text": {`{"$defs": {"A": {}}} x`, "s.json:1:22: error: text after the end"},
		"duplicate name": {defs("{\"type\": \"object\",\n\t\t\t\"type\": \"string\"}"),
			`s.json:4:4: error: "type" appears twice`},
		"bad syntax": {defs("{'a'}"), "s.json:3:9: error: invalid character"},
		"bad UTF-8":  {"{\"$defs\": {\"\xff\": {}}}", "not valid UTF-8"},
		"too deep": {defs(strings.Repeat(`{"items":`, 300) + "{}" + strings.Repeat("}", 300)),
			"nested deeper than 200"},
		"definition name":     {`{"$defs": {"A/B": {}}}`, `s.json:1:12: error: definition name "A/B"`},
		"no schema":           {defs("7"), "s.json:3:8: error: expected a schema: an object, true or false"},
		"unknown type":        {defs(`{"type": "text"}`), `s.json:3:17: error: type "text" is not one of`},
		"type of types":       {defs(`{"type": [1]}`), "s.json:3:18: error: type may hold only strings"},
		"unknown reference":   {defs(`{"$ref": "#/$defs/B"}`), `s.json:3:17: error: $ref names "B", which is not defined`},
		"foreign reference":   {defs(`{"$ref": "https://x/y"}`), `s.json:3:17: error: $ref "https://x/y" does not name`},
		"empty union":         {defs(`{"anyOf": []}`), "s.json:3:18: error: expected a list of at least one"},
		"empty enum":          {defs(`{"enum": []}`), "s.json:3:17: error: enum must be a list with at least one"},
		"enum value twice":    {defs(`{"enum": ["a", "a"]}`), `s.json:3:23: error: enum value "a" appears twice`},
		"constant object":     {defs(`{"const": {}}`), "s.json:3:18: error: only strings, numbers"},
		"required not a list": {defs(`{"required": true}`), "s.json:3:21: error: required must be a list"},
		"properties list":     {defs(`{"properties": []}`), "s.json:3:23: error: properties must be an object"},
		"part of itself": {
			defs(`{"allOf": [{"$ref": "#/$defs/A"}]}`), `s.json:3:19: error: allOf leads from "A" back to "A"`,
		},
		"part of its member": {
			defs(`{"properties": {"x": {"allOf": [{"$ref": "#/$defs/A"}]}}}`), `error: allOf leads from "A" back to "A"`,
		},
		"member of itself": {
			defs(`{"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]}`), `error: anyOf leads from "A" back to "A"`,
		},
		"doubled parts":       {doubled(), `the lists of "A0" stand for more than 20000 schemas`},
		"wrapped in property": {defs(`{"properties": {"x": {"items": 1}}}`), "s.json:3:39: error: expected a schema: an object, true or false"},
	} {
		_, err := Parse("s.json", "2026-07-28", []byte(c.text))
		var at *Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		later := strings.Contains(c.want, " leads ") || strings.Contains(c.want, " stand for ") // which Import does not see
		if _, importErr := Import("s.json", []byte(c.text)); importErr == nil && !later {
			t.Errorf("%s: imported without an error", name)
		}
	}
}

// doubled is a schema in which each definition has the next one twice.
func doubled() string {
	var b strings.Builder
	b.WriteString(`{"$defs": {`)
	for i := range 40 {
		fmt.Fprintf(&b, `"A%d": {"allOf": [{"$ref": "#/$defs/A%d"}, {"$ref": "#/$defs/A%d"}]},`, i, i+1, i+1)
	}
	return b.String() + `"A40": {}}}`
}

// TestPropertiesAreData has properties that are named like keywords.
func TestPropertiesAreData(t *testing.T) {
	const text = `{"definitions": {"A": {"type": "object", "required": ["enum"], "description": "gone", "title": "gone", "properties": {
		"type": {"const": "x"}, "enum": {"type": "array", "items": {"$ref": "#/definitions/A"}},
		"properties": {"type": "object"},
		"description": {"type": "string", "description": "gone"}, "title": {"type": ["string", "null"]}, "$ref": {"type": "string"}}}}}`
	s, err := Parse("s.json", "2024-11-05", []byte(text))
	if err != nil || len(s.Warnings) > 0 {
		t.Fatal(err, s.Warnings)
	}
	a := s.Lookup("A").Node
	if len(a.Properties) != 6 || a.Ref != "" || !a.IsRequired("enum") || a.Property("enum").Node.Items.Ref != "A" {
		t.Errorf("read as %+v", a)
	}
	facts, err := Import("s.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(facts), "gone") {
		t.Errorf("prose survives:\n%s", facts)
	}
	for _, name := range []string{`"title": {`, `"description": {`, `"enum": {`, `"$ref": {`} {
		if !strings.Contains(string(facts), name) {
			t.Errorf("property %s is lost:\n%s", name, facts)
		}
	}
}

func TestWarnings(t *testing.T) {
	const text = `{"$defs": {"A": {"type": "object", "patternProperties": {}, "required": ["b"], "properties": {}}}}`
	s, err := Parse("s.json", "2024-11-05", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range s.Warnings {
		got = append(got, w.Error())
	}
	want := `s.json:1:36: warning: keyword "patternProperties" is not understood and was ignored|s.json:1:17: warning: required property "b" is not declared`
	if strings.Join(got, "|") != want {
		t.Errorf("warnings %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestRevisionOf(t *testing.T) {
	for file, want := range map[string]string{
		"2025-06-18.json":                          "2025-06-18",
		"a/2025-06-18/schema.json":                 "2025-06-18",
		"https://x.example/2025-06-18/schema.json": "2025-06-18",
		"2025-06-18/2025-11-25.json":               "2025-11-25",
		"schema.json":                              "",
		"2025-13-18.json":                          "",
		"2025-06-18/x/schema.json":                 "",
	} {
		got, err := RevisionOf(file)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("RevisionOf(%q) = %q, %v", file, got, err)
		}
	}
}

// FuzzImport expects that what parses can be imported, and that facts are a fixed point
// with the same model.
func FuzzImport(f *testing.F) {
	list, err := Embedded()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range list {
		data, err := files.ReadFile(s.Revision + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 3000)])
	}
	f.Add([]byte(`{"$defs": {"A": {"$ref": "#/$defs/A", "x": [null, 1e5, "é\u0000"]}}}`))
	f.Add([]byte(`{"definitions": {"A": true, "B": {"properties": {"title": {}}, "enum": [1, "x"], "default": {"title": 1}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f.json", "2024-11-05", data)
		if err != nil {
			return
		}
		facts, err := Import("f.json", data)
		if err != nil {
			t.Fatalf("parses but cannot be imported: %v", err)
		}
		again, err := Import("f.json", facts)
		if err != nil || string(again) != string(facts) {
			t.Fatalf("not a fixed point: %v\n%s\n%s", err, facts, again)
		}
		s2, err := Parse("f.json", "2024-11-05", facts)
		if err != nil || len(s2.Defs) != len(s.Defs) {
			t.Fatalf("facts read differently: %v", err)
		}
	})
}
