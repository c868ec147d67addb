package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// completeSource has what is newer, and reducedSource has not.
const (
	completeSource = `package protocol

import "encoding/json"

const (
	Revision1 Revision = iota + 1
	Revision2
)

const Latest = Revision2

const (
	LevelOld Level = "old"
	LevelNew Level = "new"
)

type Old struct {
	A string
	B *New
	E json.RawMessage
}

type None struct {
	F string
}

func (v *Old) Do() string { return v.A + v.B.C }

func (*Old) new() {}

// New came later.
type New struct {
	C string
	D json.RawMessage
}

func (v *New) Do() {
	v.C = ""
}
`
	reducedSource = `package protocol

const (
	Revision1 Revision = iota + 1
)

const Latest = Revision1

const (
	LevelOld Level = "old"
)

type Old struct {
	A string
}

type None struct{}

func (v *Old) Do() string { return v.A }
`
)

func TestAddNames(t *testing.T) {
	got := addNames([]string{completeSource}, []string{reducedSource})
	if _, err := parser.ParseFile(token.NewFileSet(), "", got, parser.SkipObjectResolution); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	for _, part := range []string{`import "encoding/json"`, "A string\n\tB *New\n\tE json.RawMessage\n}",
		"const Latest = Revision1\n", "return v.A }", "type New struct {\n\tC string", "func (v *New) Do() {\n\tv.C",
		"func (*Old) new() {}", "const \tLevelNew Level = \"new\"", "type None struct{\tF string\n}"} {
		if strings.Count(got, part) != 1 {
			t.Errorf("%q is there %d times:\n%s", part, strings.Count(got, part), got)
		}
	}
	for _, part := range []string{"Revision2", "LevelOld Level", "type Old", "func (v *Old)"} {
		if n := strings.Count(got, part); n > 1 || part == "Revision2" && n > 0 {
			t.Errorf("too much is declared: %s\n%s", part, got)
		}
	}
}
