package schemadiff

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// discriminator compares what tells the members of two unions apart. A constant that changes is told where it stands.
func (d *differ) discriminator(at place, a, b *schema.Node) {
	old, is := discriminatorOf(d.older, a), discriminatorOf(d.newer, b)
	if what := between(old, is, "changed"); what != "" {
		d.change(at, Change{Kind: KindDiscriminator, What: what, Old: old, New: is})
	}
}

// discriminatorOf names the members that are another constant in each object of a union. It says which of them some
// object does not require. It is empty if no member tells the objects apart, or if there are not two.
func discriminatorOf(s *schema.Schema, n *schema.Node) string {
	var objects []*schema.Node
	for _, alt := range leaves(s, n) {
		if object := flat(s, alt); isObject(object) {
			objects = append(objects, object)
		}
	}
	if len(objects) < 2 {
		return ""
	}
	var names []string
	for _, p := range objects[0].Properties {
		values, optional := map[schema.Literal]bool{}, false
		for _, object := range objects {
			if v := constantMember(object, p.Name); v != nil {
				values[*v] = true
				optional = optional || !slices.Contains(object.Required, p.Name)
			}
		}
		switch {
		case len(values) < len(objects):
		case optional:
			names = append(names, p.Name+" (optional)")
		default:
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " or ")
}

// constantMember returns the only value of a member, or nil if it has more.
func constantMember(object *schema.Node, name string) *schema.Literal {
	p := object.Property(name)
	if p == nil {
		return nil
	}
	if values := constants(p.Node); len(values) == 1 {
		return &values[0]
	}
	return nil
}

// leaves returns the alternatives of a node behind all names of unions, and the node itself if it is none.
func leaves(s *schema.Schema, n *schema.Node) []*schema.Node {
	var out []*schema.Node
	var visit func(n *schema.Node, depth int)
	visit = func(n *schema.Node, depth int) {
		def := n
		if n.Ref != "" {
			def = s.Lookup(n.Ref).Node
		}
		switch {
		case depth > maxFlat || n.Never:
		case len(def.AnyOf) > 0:
			for _, alt := range def.AnyOf {
				visit(alt, depth+1)
			}
		case def.Ref != "" && n.Ref != "":
			visit(def, depth+1)
		default:
			out = append(out, n)
		}
	}
	visit(n, 0)
	return out
}

// othersNamed reports whether two nodes name other definitions, although they may allow the same values: one more
// alternative beside an open object. What has no name on one side is only another spelling.
func (d *differ) othersNamed(a, b *schema.Node) bool {
	x, ok := namesOf(d.older, a)
	y, okNewer := namesOf(d.newer, b)
	if !ok || !okNewer {
		return false
	}
	paired := map[string]bool{}
	for name := range x {
		paired[d.pairs.newer[name]] = true
	}
	return !maps.Equal(paired, y)
}

// namesOf returns the definitions that a node names. It is false if the node says more without a name.
func namesOf(s *schema.Schema, n *schema.Node) (map[string]bool, bool) {
	out := map[string]bool{}
	for _, leaf := range leaves(s, n) {
		if leaf.Ref == "" {
			return nil, false
		}
		out[leaf.Ref] = true
	}
	return out, len(out) > 0
}
