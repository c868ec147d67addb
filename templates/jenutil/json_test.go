package jenutil

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// constantOf renders an expression and returns its value and the width of its widest line.
func constantOf(t *testing.T, code jen.Code) (value string, width int) {
	t.Helper()
	f := jen.NewFile("p")
	f.Const().Id("x").Op("=").Add(code)
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		width = max(width, len(line)-1)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", b.Bytes(), 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return constant.StringVal(pkg.Scope().Lookup("x").(*types.Const).Val()), width
}

func compacted(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return b.String()
}

// TestJSON lays out texts that are long, deep, or try to end their literal. Without white space they stay what they
// are, and no line is wider than 200 columns.
func TestJSON(t *testing.T) {
	long := strings.Repeat("word ", 200)
	for _, text := range []string{
		`{}`, `[]`, `""`, `1.5e3`, `null`, `{"a":{},"b":[]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`,
		`{"description":"` + long + `","type":"string"}`,
		`{"description":"` + strings.Repeat("ä", 400) + `"}`, `{"x":"` + strings.Repeat("\xff", 400) + `"}`,
		"{\"a\":\"`\",\"b\":\"" + long + "` + x + `\"}", "{\"a\":\"\u202e\ufeff\",\"b\":\"\\u0000\\r\"}",
		`{"a":"\"{}[],:\\","b":["` + long + `",{"c":[1,2,3]}]}`,
		`{"` + long + `":[` + strings.Repeat(`{"k":[true,false]},`, 40) + `-0.5]}`,
		strings.Repeat(`{"a":[`, 8) + `"` + long + `"` + strings.Repeat(`]}`, 8),
	} {
		got, width := constantOf(t, JSON(text, 5))
		if compacted(t, got) != text {
			t.Errorf("%s\nbecomes\n%s", text, got)
		}
		if width > 200 && !strings.Contains(text, "\xff") { // which are four columns each
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
}

func TestJSONIsReadable(t *testing.T) {
	const text = `{"type":"object","properties":{"id":{"type":"string","description":"ID of the thing."},"tags":{"type":"array","items":{"type":"string"}}}}`
	const want = `{
	"type": "object",
	"properties": {
		"id": {"type": "string", "description": "ID of the thing."},
		"tags": {"type": "array", "items": {"type": "string"}}
	}
}`
	if got, _ := constantOf(t, JSON(text, 0)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLong(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("a word and ", 60), strings.Repeat("x", 1000), "\n\"`" +
		strings.Repeat("é\t", 200)} {
		got, width := constantOf(t, Long(text))
		if got != text || width > 600 {
			t.Errorf("%q becomes %q, %d columns", text, got, width)
		}
	}
}
