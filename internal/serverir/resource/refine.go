package resource

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// publicCache reports a cache directive by which shared caches could serve what not everybody may read.
func (b *Builder) publicCache(r *binding.Resource) {
	if !r.Rules.Restricts() || !r.Cache.Public {
		return
	}
	var scope *directive.Arg
	var access *load.Decl
	for _, d := range append(b.DefaultsFor(r.Decl), r.Decl) {
		for _, c := range load.Refinements[*directive.Cache](d) {
			if c.Scope.Set() {
				scope = c.Scope.Arg
			}
		}
		if len(load.Refinements[*directive.Access](d)) > 0 {
			access = d
		}
	}
	if scope == nil || access == nil {
		return
	}
	i := slices.IndexFunc(access.Directives, func(m *directive.Directive) bool {
		_,
			ok := m.Spec.(*directive.Access)
		return ok
	})
	m := access.Directives[i]
	from, to := source.ValueOf(scope)
	b.Report("MCP602", from, to,
		fmt.Sprintf("`scope=public` on `%s`, which is not for everybody: shared caches would serve it to anyone",
			r.Decl.Name),
		b.Related(m.Pos, m.End, "the access rule"), report.Fix("scope=private, or no access rule"))
}

// refinements reads annotate, icon, cache and meta. A field comes from the feature, or else from the receiver type, or
// else from the server.
func (b *Builder) refinements(r *binding.Resource) {
	for _, d := range append(b.DefaultsFor(r.Decl), r.Decl) {
		for _, a := range load.Refinements[*directive.Annotate](d) {
			annotate(r, a)
		}
		for _, c := range load.Refinements[*directive.Cache](d) {
			cachePolicy(&r.Cache, c)
		}
	}
	r.Proto, r.Toggle, r.Tags = b.ProtoOf(r.Decl), b.ToggleOf(r.Decl), feature.Texts(&r.Spec.Tags)
	r.Description = b.Deprecated(r.Decl, r.Description)
	r.Icons = b.Icons(r.Decl)
	r.Meta = b.Meta(r.Decl)
}

// annotate sets the annotations of r that a gives.
func annotate(r *binding.Resource, a *directive.Annotate) {
	if a.Audience.Set() {
		r.Audience = nil
		for _, item := range a.Audience.V {
			r.Audience = append(r.Audience, item.V)
		}
	}
	if a.Priority.Set() {
		r.Priority = new(a.Priority.V)
	}
	if a.Modified.Set() {
		r.Modified = a.Modified.V
	}
}

// cachePolicy sets the fields of p that c gives.
func cachePolicy(p *ir.CachePolicy, c *directive.Cache) {
	if c.TTL.Set() {
		p.TTLMillis = c.TTL.V.Milliseconds()
	}
	if c.Scope.Set() {
		p.Public = c.Scope.V == "public"
	}
}
