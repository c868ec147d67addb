package names

import (
	"cmp"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/load"
)

// kind is how the features of one kind are called.
type kind struct {
	// nameOf is name= of the spec of such a feature; not ok for other specs.
	nameOf func(spec any) (name string, ok bool)
	// sep joins the words of a Go name to what clients call a feature without name=.
	sep string
	// apart says that name= tells the generated names of two methods apart.
	apart bool
	// refers says that other directives may name such a feature, as in of=.
	refers bool
}

// kinds are the kinds of features with a name.
var kinds = []kind{
	{nameOf: named(func(s *directive.Resource) string { return s.Name.V }), sep: "-", apart: true, refers: true},
	{nameOf: named(func(s *directive.App) string { return s.Name.V }), sep: "-", apart: true},
	{nameOf: named(func(s *directive.Prompt) string { return s.Name.V }), sep: "_", refers: true},
	{nameOf: named(func(s *directive.Event) string { return s.Name.V }), sep: ".", refers: true},
	{nameOf: named(func(s *directive.Extension) string { return s.ID.V }), refers: true},
	{nameOf: named(func(s *directive.Tool) string { return s.Name.V }), sep: "_", apart: true},
}

func named[T any](name func(T) string) func(spec any) (string, bool) {
	return func(spec any) (string, bool) {
		s, ok := spec.(T)
		if !ok {
			return "", false
		}
		return name(s), true
	}
}

// kindOf returns the kind of what d declares, and its name=; nil for what is no feature.
func kindOf(d *load.Decl) (k *kind, name string) {
	if d.Primary == nil {
		return nil, ""
	}
	for i := range kinds {
		if name, ok := kinds[i].nameOf(d.Primary.Spec); ok {
			return &kinds[i], name
		}
	}
	return nil, ""
}

// Shown is what clients call the feature that d declares: name=, or the words of its Go name.
func Shown(d *load.Decl) string {
	k, name := kindOf(d)
	if k == nil {
		return ""
	}
	return cmp.Or(name, goname.JoinLower(d.Name, k.sep))
}

// Referred are the names by which other directives refer to what d declares; none for what they do not refer to.
func Referred(d *load.Decl) []string {
	if k, _ := kindOf(d); k == nil || !k.refers {
		return nil
	}
	return []string{d.Name, Shown(d)}
}
