package resource

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
)

// brokenResources returns the names of declarations that have a resource directive and are no resources because of
// mistakes.
func brokenResources(pkg *load.Package) map[string]bool {
	out := map[string]bool{}
	for _, d := range pkg.Decls {
		p := d.Primary
		if p != nil && !p.Bad {
			continue
		}
		if p == nil && !slices.ContainsFunc(d.Directives, func(x *directive.Directive) bool { return x.Def == nil }) {
			continue
		}
		out[d.Name] = true
		if p != nil {
			if _, ok := p.Spec.(*directive.Resource); ok {
				out[names.Shown(d)] = true
			}
		}
	}
	return out
}
