package protocolir

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
)

func structNamed(t *testing.T, r *Result, name string) *ir.Struct {
	t.Helper()
	for _, s := range r.Protocol.Structs {
		if s.Go == name {
			return s
		}
	}
	t.Fatalf("no struct %s", name)
	return nil
}

// TestMergedObjectsRequireWhatAllRequire lets a later revision have another definition at the place of A, beside A:
// the struct must hold the values of both.
func TestMergedObjectsRequireWhatAllRequire(t *testing.T) {
	const text = `{"type": "string"}`
	const x = `"X": {"type": "object", "properties": {"p": {"$ref": "#/$defs/%"}}}, "Y": {"type": "object", "properties": {"p": {"$ref": "#/$defs/A"}}},`
	const a = `"A": {"type": "object", "properties": {"m": ` + text + `, "n": ` + text + `}, "required": ["m", "n"]}`
	const b = `, "B": {"type": "object", "properties": {"m": ` + text + `, "n": ` + text + `}, "required": ["n"]}`
	r, err := mergeLater(t, "{}", strings.ReplaceAll(x, "%", "A")+a, strings.ReplaceAll(x, "%", "B")+a+b)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]ir.Revs{"m": 0b01, "n": 0b11}
	for _, f := range structNamed(t, r, "A").Fields {
		if f.Required != want[f.JSON] {
			t.Errorf("%s is required in %02b, want %02b; notes: %v", f.JSON, f.Required, want[f.JSON], r.Notes)
		}
	}
}

// TestReview expects to be told of what a later revision brings that a person may decide otherwise, and of texts that
// code from before leaves empty.
func TestReview(t *testing.T) {
	const old = `"X": {"type": "object", "properties": {"p": {"type": "string"}}}`
	const later = `"X": {"type": "object", "properties": {"p": {"type": "string"}, "kind": {"type": "string"}, "n": {"type": "integer"},
		"inner": {"type": "object", "properties": {"q": {"type": "string"}}}}, "required": ["kind", "n"]},
		"Base": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]},
		"Any": {"type": "object", "additionalProperties": {}}`
	review := func(exceptions string) (notes string, unset []*UnsetError) {
		r, err := mergeLater(t, exceptions, old, later)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, n := range r.Notes {
			list = append(list, n.String())
		}
		for _, w := range r.Warnings {
			if u, ok := errors.AsType[*UnsetError](w); ok {
				unset = append(unset, u)
			}
		}
		return strings.Join(list, "\n"), unset
	}
	notes, unset := review("{}")
	for _, want := range []string{
		"X.inner has no name and gets XInner; another one goes into \"names\"",
		"nothing refers to Base; if it is only a base of others, it goes into \"mixins\"",
		"Any is another name of json.RawMessage; \"types\"",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note has %q:\n%s", want, notes)
		}
	}
	if len(unset) != 1 || unset[0].Property != "kind" || !slices.Equal(unset[0].Owners, []string{"X"}) ||
		!strings.HasPrefix(unset[0].Error(), "r1.json:1:") {
		t.Errorf("unset: %v", unset)
	}
	notes, unset = review(`{"names": {"X.inner": "Inside"}, "mixins": ["Base"], "types": {"Any": "object"}, "defaults": {"*.kind": ""}}`)
	if strings.Contains(notes, "exceptions.json") || len(unset) > 0 {
		t.Errorf("after the decisions there is still %s %v", notes, unset)
	}
}
