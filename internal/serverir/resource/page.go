package resource

import (
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// Add adds a resource that a feature of another kind needs. Its content is the value of a variable. fill sets what that
// kind decides. like is a resource for the same variable, whose rules it takes over; nil for none. It returns nil if
// the URI is wrong.
func (b *Builder) Add(d *load.Decl, spec *directive.Resource, like *ir.Resource, fill func(*ir.Resource)) *ir.Resource {
	r := &binding.Resource{Decl: d, Spec: spec, Resource: &ir.Resource{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.Callee(d), URI: spec.URI.V,
		Name: names.Shown(d), Title: spec.Title.V, Description: spec.Desc.V, Size: -1, Fixed: true,
	}}
	if !spec.Desc.Set() {
		r.Description = source.Description(d.Doc, d.Name)
	}
	if !b.resourceURI(r) {
		b.Broken[d.Name], b.Broken[r.Name] = true, true
		return nil
	}
	b.refinements(r)
	fill(r.Resource)
	b.resourceNames(r)
	if like != nil {
		r.Rules = like.Rules
	} else {
		r.Rules = b.GuardOf(r.Set(), "may"+goname.UpperFirst(r.Names.Read))
		b.publicCache(r)
	}
	b.add(r)
	return r.Resource
}
