package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema/testdata/example"
)

// keywords is the part of a schema that must be as the library makes it by reflection.
type keywords struct {
	Ref                  string              `json:"$ref"`
	Defs                 map[string]keywords `json:"$defs"`
	Type, Format         string
	Properties           map[string]keywords
	Required             []string
	Items                *keywords
	MinItems, MaxItems   int
	AdditionalProperties *keywords
	closed               bool
}

// UnmarshalJSON takes true and false for schemas too.
func (k *keywords) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true":
		return nil
	case "false":
		k.closed = true
		return nil
	}
	type plain keywords
	return json.Unmarshal(text, (*plain)(k))
}

// list writes what a schema says about each place in a value. Recursion ends after two rounds.
func (k keywords) list(root *keywords, path string, out *[]string) {
	if name, ok := strings.CutPrefix(k.Ref, "#/$defs/"); ok {
		k = root.Defs[name]
	}
	if strings.Count(path, "/kids") > 2 {
		return
	}
	*out = append(*out, fmt.Sprintf("%s: %s %s required %v, %d..%d, closed %v", path, k.Type, k.Format, k.Required,
		k.MinItems, k.MaxItems, k.closed))
	for _, name := range slices.Sorted(maps.Keys(k.Properties)) {
		k.Properties[name].list(root, path+"/"+name, out)
	}
	if k.Items != nil {
		k.Items.list(root, path+"[]", out)
	}
	if k.AdditionalProperties != nil {
		k.AdditionalProperties.list(root, path+"/*", out)
	}
}

func places(t *testing.T, text []byte) []string {
	t.Helper()
	var root keywords
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var out []string
	root.list(&root, "", &out)
	return out
}

// What we read from types must agree with what the library finds by reflection: names, required
// members, types, formats and bounds. Bounds of unsigned numbers, constants and descriptions are ours.
func TestAgreesWithReflection(t *testing.T) {
	t.Attr("requirements", "schema-dialect schema-valid")
	res, err := load.Load(t.Context(), load.Config{Dir: "testdata/example", Stub: serverir.Stub})
	if err != nil {
		t.Fatal(err)
	}
	out := &res.Diags
	p := serverir.Features(res, res.Packages[0], out)
	if out.Count(diag.Error) > 0 {
		t.Fatal(out.Sorted())
	}
	got := p.Servers[0].Tools[0].InputSchema
	r := jsonschema.Reflector{ExpandedStruct: true, Anonymous: true}
	want, err := json.Marshal(r.Reflect(example.In{}))
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := places(t, []byte(got)), places(t, want)
	if !slices.Equal(ours, theirs) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(ours, "\n"), strings.Join(theirs, "\n"))
	}
	if len(ours) < 30 {
		t.Errorf("only %d places compared", len(ours))
	}
}

// The text as a whole, with what reflection does not know.
func TestExampleText(t *testing.T) {
	res, err := load.Load(t.Context(), load.Config{Dir: "testdata/example", Stub: serverir.Stub})
	if err != nil {
		t.Fatal(err)
	}
	got := serverir.Features(res, res.Packages[0], &res.Diags).Servers[0].Tools[0].InputSchema
	for _, want := range []string{
		`{"type":"object","$defs":{"Node":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}`,
		`"query":{"type":"string","description":"Query to look for."}`,
		`"color":{"type":"string","enum":["red","blue"]}`,
		`"count":{"type":"integer","minimum":0}`,
		`"extra":{},"any":{},"Plain":{"type":"string"}}`,
		`"required":["id","query","ratio","color","tags","pair","items","page","tree","Plain"]}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("schema %s\nlacks %s", got, want)
		}
	}
}
