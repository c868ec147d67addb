package tagrule

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// encoding/json is the judge of which fields are members, under which names and in which order.
func TestFieldsAsEncodingJSON(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "field_cases_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("build", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range fieldCases {
		var got []string
		for _, f := range Fields(pkg.Scope().Lookup(name).Type()) {
			got = append(got, f.Name)
		}
		if want := members(t, value); !slices.Equal(got, want) {
			t.Errorf("%s: members %q, want %q", name, got, want)
		}
	}
}

// members are the names in the JSON of v, in order.
func members(t *testing.T, v any) []string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	d := json.NewDecoder(bytes.NewReader(text))
	for depth, isName := 0, false; d.More() || depth > 0; {
		tok, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch tok {
		case json.Delim('{'):
			depth++
			isName = true
			continue
		case json.Delim('}'):
			depth--
			isName = true
			continue
		}
		if isName && depth == 1 {
			out = append(out, tok.(string))
		}
		isName = !isName
	}
	return out
}
