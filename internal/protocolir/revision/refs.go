package revision

import (
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// LeavesOut reports whether a definition has a fixed type or is a base that nothing uses.
func (v *View) LeavesOut(d *schema.Def) bool {
	_, fixed := v.ex.Type(d.Name)
	return fixed || v.ex.IsMixin(d.Name) && !v.Referenced(d.Name)
}

// Referenced reports whether any definition of a revision refers to name.
func (v *View) Referenced(name string) bool {
	if v.refs == nil {
		v.refs = map[string]bool{}
		for _, d := range v.Defs {
			collectRefs(d.Node, v.refs)
		}
	}
	return v.refs[name]
}

func collectRefs(n *schema.Node, refs map[string]bool) {
	if n.Ref != "" {
		refs[n.Ref] = true
	}
	for _, part := range n.Parts() {
		collectRefs(part, refs)
	}
	for _, p := range n.Properties {
		collectRefs(p.Node, refs)
	}
}

// Reach adds to seen the definitions that a node refers to, directly or by way of others.
func (v *View) Reach(n *schema.Node, seen map[string]bool) {
	refs := map[string]bool{}
	collectRefs(n, refs)
	for name := range refs {
		if !seen[name] {
			seen[name] = true
			v.Reach(v.Lookup(name).Node, seen)
		}
	}
}

// Endless reports whether a definition is a reference that leads back to itself by references alone.
func (v *View) Endless(d *schema.Def) bool {
	n := d.Node
	for range v.Defs {
		if n.Ref == "" || n.Ref == d.Name {
			break
		}
		n = v.Lookup(n.Ref).Node
	}
	return n.Ref == d.Name
}

// Reaches reports whether an alias refers to itself through lists, maps, unions and other aliases.
func (v *View) Reaches(n *schema.Node, name string, seen map[string]bool) bool {
	switch {
	case n == nil, seen[n.Ref]:
		return false
	case n.Ref == name:
		return true
	case n.Ref != "":
		seen[n.Ref] = true
		target := v.Lookup(n.Ref).Node
		return v.Class(target) == ClassAlias && v.Reaches(target, name, seen)
	}
	return slices.ContainsFunc(n.AnyOf, func(alt *schema.Node) bool { return v.Reaches(alt, name, seen) }) ||
		v.Reaches(n.Items, name, seen) || v.Reaches(n.Additional, name, seen)
}
