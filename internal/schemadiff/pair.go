package schemadiff

import (
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// newPairs pairs definitions by name and alias, requests by their method, errors by their code, and at last those that
// have another name at the same place while the old name is gone.
func newPairs(a, b *schema.Schema, ex *schema.Exceptions) *pairs {
	p := &pairs{a: a, b: b, newer: map[string]string{}, older: map[string]string{}}
	byName := map[string]string{}
	for _, def := range b.Defs {
		byName[ex.Alias(def.Name, aliasKind(def.Node))] = def.Name
	}
	for _, def := range a.Defs {
		if name := byName[ex.Alias(def.Name, aliasKind(def.Node))]; name != "" {
			p.join(def.Name, name)
		}
	}
	p.byKey(methodOf)
	p.byKey(func(n *schema.Node) string {
		if codes := codesOf(n); len(codes) == 1 {
			return codes[0]
		}
		return ""
	})
	for again := true; again; {
		again = false
		for _, def := range a.Defs {
			if name, ok := p.newer[def.Name]; ok {
				again = p.below(def.Node, b.Lookup(name).Node) || again
			}
		}
	}
	return p
}

func (p *pairs) join(a, b string) { p.newer[a], p.older[b] = b, a }

// byKey pairs what has the same key and no counterpart yet.
func (p *pairs) byKey(key func(*schema.Node) string) {
	have := map[string]string{}
	for _, def := range p.b.Defs {
		if k := key(def.Node); k != "" && p.older[def.Name] == "" {
			have[k] = def.Name
		}
	}
	for _, def := range p.a.Defs {
		if name := have[key(def.Node)]; name != "" && p.newer[def.Name] == "" && p.older[name] == "" {
			p.join(def.Name, name)
		}
	}
}

// below looks for other names at the places of two nodes that are the same. It reports whether it found one.
func (p *pairs) below(a, b *schema.Node) (found bool) {
	if a.Ref != "" && b.Ref != "" {
		if p.lone(a.Ref, b.Ref) && p.alike(p.a.Lookup(a.Ref).Node, p.b.Lookup(b.Ref).Node) {
			p.join(a.Ref, b.Ref)
			return true
		}
		return false
	}
	for _, prop := range a.Properties {
		if other := b.Property(prop.Name); other != nil {
			found = p.below(prop.Node, other.Node) || found
		}
	}
	if a.Items != nil && b.Items != nil {
		found = p.below(a.Items, b.Items) || found
	}
	if a.Additional != nil && b.Additional != nil {
		found = p.below(a.Additional, b.Additional) || found
	}
	for i := 0; i < min(len(a.AllOf), len(b.AllOf)); i++ {
		found = p.below(a.AllOf[i], b.AllOf[i]) || found
	}
	for _, x := range a.AnyOf {
		for _, y := range b.AnyOf {
			if x.Ref != "" && y.Ref != "" && p.lone(x.Ref, y.Ref) && p.sameTag(x.Ref, y.Ref) {
				p.join(x.Ref, y.Ref)
				found = true
			}
		}
	}
	return found
}

// lone reports whether neither name is in the other schema or paired already.
func (p *pairs) lone(a, b string) bool {
	return p.newer[a] == "" && p.older[b] == "" && p.b.Lookup(a) == nil && p.a.Lookup(b) == nil
}

// alike reports whether two definitions may be one: they are of one kind, and of what they declare at least half of the
// smaller one is in both, constants included.
func (p *pairs) alike(a, b *schema.Node) bool {
	a, b = flat(p.a, a), flat(p.b, b)
	if aliasKind(a) != aliasKind(b) {
		return false
	}
	switch {
	case len(a.AnyOf) > 0:
		return haveCommon(a.AnyOf, b.AnyOf, p.same)
	case len(a.Enum) > 0:
		return haveCommon(a.Enum, b.Enum, func(x, y schema.Literal) bool { return x == y })
	case len(a.Properties) == 0 && len(b.Properties) == 0:
		return slices.Equal(a.Types, b.Types)
	}
	common := 0
	for _, prop := range a.Properties {
		other := b.Property(prop.Name)
		if other == nil || prop.Name == "_meta" {
			continue
		}
		if x, y := prop.Node.Const, other.Node.Const; x != nil && y != nil && *x != *y {
			return false
		}
		common++
	}
	return enough(common, len(memberNames(a)), len(memberNames(b)))
}

// haveCommon reports whether enough elements of a list are in another one.
func haveCommon[T any](a, b []T, same func(x, y T) bool) bool {
	common := 0
	for _, x := range a {
		if slices.ContainsFunc(b, func(y T) bool { return same(x, y) }) {
			common++
		}
	}
	return enough(common, len(a), len(b))
}

func enough(common, a, b int) bool {
	least := min(a, b)
	return least == 0 || common > 0 && 2*common >= least
}

// sameTag reports whether two alternatives of a union are alike and have the same constant, which tells them from the
// others. Without constants they have the same members.
func (p *pairs) sameTag(a, b string) bool {
	x, y := p.a.Lookup(a).Node, p.b.Lookup(b).Node
	if names := memberNames(x); len(names) > 1 && slices.Equal(names, memberNames(y)) {
		return p.alike(x, y)
	}
	for _, prop := range x.Properties {
		other := y.Property(prop.Name)
		if prop.Name == "jsonrpc" || other == nil || prop.Node.Const == nil || other.Node.Const == nil {
			continue
		}
		return *prop.Node.Const == *other.Node.Const && p.alike(x, y)
	}
	return false
}

// memberNames returns the names of the members of an object but _meta, which any object may have, in their order.
func memberNames(n *schema.Node) []string {
	var out []string
	for _, p := range n.Properties {
		if p.Name != "_meta" {
			out = append(out, p.Name)
		}
	}
	return out
}

// aliasKind is the word that the exceptions have for what a definition is.
func aliasKind(n *schema.Node) string {
	switch {
	case len(n.AnyOf) > 0:
		return "union"
	case len(n.Enum) > 0:
		return "enum"
	case len(n.Properties) > 0, len(n.AllOf) > 0:
		return "struct"
	default:
		return "alias"
	}
}
