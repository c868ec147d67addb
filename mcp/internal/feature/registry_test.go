package feature

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

func TestHasVariable(t *testing.T) {
	const template = "x:///{a}/b{/c*}{?d,e,f*}{&g}"
	for name := range strings.SplitSeq("acdefg", "") {
		if !slices.Contains(Variables(template), name) {
			t.Errorf("%s not found", name)
		}
	}
	for _, name := range []string{"", "x", "b", "a}", "c*", "d,e"} {
		if slices.Contains(Variables(template), name) {
			t.Errorf("%q found", name)
		}
	}
}

// note is a registry of a resource, its alias, a template and a prompt.
func noteRegistry() *Registry {
	r := new(Registry)
	r.Init(&Features{
		Resources: []Resource{
			{Entry: &protocol.Resource{URI: "a:///x", Name: "x"}},
			{Entry: &protocol.Resource{URI: "b:///x", Name: "y"}, AliasOf: "a:///x"},
			{Template: &protocol.ResourceTemplate{URITemplate: "t:///{id}", Name: "t"}},
		},
		Prompts: []Prompt{{Entry: &protocol.Prompt{Name: "p"}}},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.Scheme == "t" && v.N == 2 && v.Take(0, v.Seg[1]) {
				return 2
			}
			return -1
		},
	})
	return r
}

// A resource is found by its URI, and an alias has the key of its resource. Instances have keys of their own.
func TestRegistryRoutes(t *testing.T) {
	r := noteRegistry()
	for uri, want := range map[string]int{"a:///x": 0, "b:///x": 1, "t:///1": 2, "c:///x": -1} {
		if got := r.IndexOf(uri); got != want {
			t.Errorf("%s is resource %d, want %d", uri, got, want)
		}
	}
	key := func(uri string) (int, string) {
		i, text := NewKey(r).Key(uri)
		return i, string(text)
	}
	alias, aliasText := key("b:///x")
	if i, text := key("a:///x"); i != alias || text != aliasText || r.Canonical(1) != 0 {
		t.Errorf("an alias has the key %d %s, its resource %d %s", alias, aliasText, i, text)
	}
	_, one := key("t:///1")
	if _, two := key("t:///2"); one == two {
		t.Errorf("two instances have the key %s", one)
	}
	if i, text := key("c:///x"); i != -1 || text != "c:///x" {
		t.Errorf("what nobody serves has the key %d %s", i, text)
	}
}

// What is switched off is found by nobody, until it is switched on again; only what changes is reported.
func TestRegistrySwitches(t *testing.T) {
	r, changes := noteRegistry(), 0
	p := Kinds[KindPrompt].ID(r.Features, 0)
	for _, step := range []struct {
		on      bool
		changes int
	}{{true, 0}, {false, 1}, {false, 1}, {true, 2}} {
		r.Switch(KindPrompt, p, step.on, func(int) { changes++ })
		found := r.Prompt("p", protocol.Latest) != nil
		if found != step.on || r.Off(KindPrompt, 0) == step.on || changes != step.changes {
			t.Errorf("switched %v: found %v, after %d changes, want %d", step.on, found, changes, step.changes)
		}
	}
	r.Switch(KindResource, Kinds[KindResource].ID(r.Features, 2), false, func(int) {})
	if r.TemplateOf("t:///{id}", protocol.Latest) != nil || r.RouteFor("t:///1", new(uri.Vars), protocol.Latest) != -1 {
		t.Error("a template that is off is found")
	}
	if r.IndexOf("t:///1") != 2 || !r.Has(KindPrompt, p) || r.Has(KindPrompt, "q") {
		t.Error("the server itself does not find what it declares")
	}
}
