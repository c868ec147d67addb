package schemadiff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/schemadiff"
	"github.com/mcpgen/mcpgen/schema"
)

// noNames is a generated package that has nothing.
type noNames struct{}

func (noNames) Definition(*schema.Schema, string) string       { return "" }
func (noNames) Member(*schema.Schema, string, []string) string { return "" }
func (noNames) Method(string) string                           { return "" }
func (noNames) Code(string, string) string                     { return "" }

const exceptions = `{"aliases": [{"name": "Old", "to": "New"}], "roles": [
	{"name": "ClientRequest", "from": "client", "kind": "request"},
	{"name": "ServerRequest", "from": "server", "kind": "request"}]}`

func compare(t *testing.T, older, newer string) []string {
	t.Helper()
	parse := func(rev, defs string) *schema.Schema {
		s, err := schema.Parse(rev+".json", rev, []byte(`{"$defs": {`+defs+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ex, err := schema.ParseExceptions([]byte(exceptions))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range schemadiff.Compare(parse("2030-01-01", older), parse("2030-01-02", newer), ex, noNames{}) {
		if !slices.Contains(schemadiff.Kinds, c.Kind) || c.Means == "" {
			t.Errorf("%+v", c)
		}
		text := strings.Join(strings.Fields(c.Kind+" "+c.What+" "+c.Place+" "+c.Item), " ")
		if c.Old+c.New != "" {
			text += fmt.Sprintf(": %s => %s", c.Old, c.New)
		}
		out = append(out, strings.TrimSpace(strings.ReplaceAll(text, `"`, "'")))
	}
	return out
}

// TestCases has each kind of difference alone, definitions with another name at the same place, and what looks like
// either and is none.
func TestCases(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for part := range strings.SplitSeq(string(data), "\n# ") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		if len(lines) < 3 || !strings.HasPrefix(lines[1], "  old: ") || !strings.HasPrefix(lines[2], "  new: ") {
			continue
		}
		want := lines[3:]
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
			kind, _, _ := strings.Cut(want[i], " ")
			kinds = append(kinds, kind)
		}
		got := compare(t, strings.TrimPrefix(lines[1], "  old: "), strings.TrimPrefix(lines[2], "  new: "))
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n  %s", lines[0], strings.Join(got, "\n  "))
		}
	}
	for _, kind := range schemadiff.Kinds {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no case of the kind %s", kind)
		}
	}
}

// TestRecursion compares types that contain themselves.
func TestRecursion(t *testing.T) {
	const tree = `"T": {"type": "object", "properties": {"next": {"$ref": "#/$defs/T"}, "any": {"$ref": "#/$defs/V"}}},
		"V": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "array", "items": {"$ref": "#/$defs/V"}}, {"type": "string"}]}, `
	const user = `"X": {"type": "object", "properties": {"m": {"$ref": "#/$defs/T"}}}`
	other := strings.NewReplacer(`"T"`, `"S"`, "/T", "/S", `"V"`, `"W"`, "/V", "/W").Replace(tree + user)
	got := compare(t, tree+user, other)
	if want := []string{"definition renamed S: T => S", "definition renamed W: V => W"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
