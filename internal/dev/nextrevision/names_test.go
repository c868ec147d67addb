package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestAddNames(t *testing.T) {
	complete := map[string]string{"a_gen.go": `package protocol

import "encoding/json"

const Revision2 = Revision1 + 1

const Latest = Revision2

type Old struct {
	A string
	B *New
	E json.RawMessage
}

func (v *Old) Do() string { return v.A + v.B.C }

// New came later.
type New struct {
	C string
	D json.RawMessage
}

func (v *New) Do() {}
`}
	reduced := map[string]string{"a_gen.go": `package protocol

const Latest = Revision1

type Old struct {
	A string
}

func (v *Old) Do() string { return v.A }
`}
	got, err := addNames(complete, reduced, "Revision2")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range got {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	for file, parts := range map[string][]string{
		"a_gen.go": {`import "encoding/json"`, "A string\n\tB *New\n\tE json.RawMessage\n}",
			"const Latest = Revision1\n", "return v.A }"},
		"names_gen.go": {`import "encoding/json"`, "type New struct {\n\tC string", "func (v *New) Do() {}"},
	} {
		for _, part := range parts {
			if !strings.Contains(got[file], part) {
				t.Errorf("%s lacks %q:\n%s", file, part, got[file])
			}
		}
	}
	if strings.Contains(got["names_gen.go"], "Revision2") || strings.Contains(got["names_gen.go"], "Old") {
		t.Errorf("too much is declared:\n%s", got["names_gen.go"])
	}
}

func TestInventChangesTheSchema(t *testing.T) {
	const newest = `{"$defs": {"Tool": {"properties": {}}, "LoggingLevel": {"enum": ["info"]}, "ContentBlock": {"anyOf": []}, "ServerNotification": {"anyOf": []}}}`
	got, err := invent(newest)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"category":{"type":"string"}`, `["info","trace"]`, `"#/$defs/VideoContent"`,
		`"#/$defs/MoodNotification"`, `"notifications/mood"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if _, err := invent(`{"definitions": {}}`); err == nil {
		t.Error("a schema of another form is accepted")
	}
}
