package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// absorb merges what a later revision has at a place into t, the type that earlier revisions have there. The types that
// t names get more properties, members or values. The caller has checked by fits that t can hold it.
func (m *merger) absorb(at site, n *schema.Node, t *merged.Type) {
	if fixed, ok := m.fit.fixedAt(at, n); ok {
		m.absorbFixed(at, t, fixed)
		return
	}
	if t.Kind == ir.KindAny {
		return
	}
	if admitsNull(n) && (!t.Null || t.NullIn != 0) {
		t.Null, t.NullIn = true, t.NullIn|merged.Bit(at.rev)
	}
	switch {
	case n.Ref != "":
		m.absorbRef(at, n, t)
	case len(n.AnyOf) > 0:
		outer := m.alternatives
		m.alternatives = n.AnyOf
		for _, alt := range n.AnyOf {
			m.absorb(at.below(), alt, t)
		}
		m.alternatives = outer
	case len(n.AllOf) > 0, len(n.Properties) > 0:
		m.absorbStruct(at, "", n, t)
	case len(n.Enum) > 0:
		if t.Kind == ir.KindEnum {
			m.enum(t.Name, t.Name, n, at.rev)
		}
	case n.Is("array"):
		if t.Kind == ir.KindOneOrMany {
			t.Many |= merged.Bit(at.rev)
		}
		if n.Items != nil && t.Elem != nil {
			m.absorb(at.below(), n.Items, t.Elem)
		}
	case n.Is("object"):
		switch {
		case n.Additional != nil && t.Kind == ir.KindMap:
			m.absorb(at.below(), n.Additional, t.Elem)
		case t.Kind == ir.KindStruct && n.Additional == nil:
			m.reachLater(t.Name, at.rev)
		case t.Kind == ir.KindUnion || t.Kind == ir.KindOneOrMany:
			m.absorbStruct(at, "", n, t)
		}
	}
}

// absorbFixed is absorb for a place whose Go type is decided by the exceptions.
func (m *merger) absorbFixed(at site, t, fixed *merged.Type) {
	switch {
	case fixed.Kind == ir.KindObject && t.Kind == ir.KindStruct:
		m.reachLater(t.Name, at.rev)
	case fixed.Kind == ir.KindEnum && t.Kind == ir.KindEnum:
		if e, ok := m.ex.OpenEnum(at.owner, at.prop); ok {
			m.openEnum(at, e)
		}
	}
}

func admitsNull(n *schema.Node) bool {
	return slices.ContainsFunc(n.AnyOf, func(alt *schema.Node) bool { return alt.Is("null") }) ||
		len(n.Types) > 1 && slices.Contains(n.Types, "null")
}

// reachLater marks an anonymous struct as part of a later revision that has only an object without declared members
// there.
func (m *merger) reachLater(name string, rev int) {
	if d := m.Defs[name]; d != nil && d.Hoisted {
		d.Revs |= merged.Bit(rev)
	}
}

func (m *merger) absorbRef(at site, n *schema.Node, t *merged.Type) {
	target := m.views[at.rev].Lookup(n.Ref).Node
	name := m.defName(at.rev, n.Ref)
	switch m.views[at.rev].Class(target) {
	case revision.ClassMethod, revision.ClassStruct:
		m.absorbStruct(at, name, target, t)
	case revision.ClassUnion:
		if t.Name == name {
			return // the definition merges itself
		}
		m.Notef(n.Pos, "%s is at the place of %s, which holds it", n.Ref, t.Leaf().Name)
		if t.Kind == ir.KindUnion || t.Kind == ir.KindOneOrMany {
			m.absorb(at, target, t)
		}
	case revision.ClassEnum:
		if t.Kind == ir.KindEnum && t.Name != name {
			m.Notef(n.Pos, "%s is at the place of %s, which gets its values", n.Ref, t.Name)
			m.enum(t.Name, t.Name, target, at.rev)
		}
	case revision.ClassAlias:
		if !m.views[at.rev].Reaches(target, n.Ref, map[string]bool{}) {
			m.absorb(at, target, t)
		}
	}
}

// absorbStruct merges an object into the struct or the union at its place. name is "" for an anonymous one.
func (m *merger) absorbStruct(at site, name string, n *schema.Node, t *merged.Type) {
	switch t.Kind {
	case ir.KindOneOrMany:
		m.absorbStruct(at, name, n, t.Elem)
	case ir.KindUnion:
		m.absorbMember(at, name, n, m.Defs[t.Name])
	case ir.KindStruct:
		if t.Name != name {
			m.fold(at, name, n, t.Name)
		}
	}
}

// fold merges an object into a struct that has another name.
func (m *merger) fold(at site, name string, n *schema.Node, into string) {
	key := foldKey{at.rev, n, into}
	if m.folded[key] {
		return
	}
	m.folded[key] = true
	if name != "" {
		m.Notef(n.Pos, "%s is at the place of %s, which gets its fields", name, into)
	}
	m.defineWhole(into, m.Defs[into].Path, n, at.rev)
}

// absorbMember makes an object a member of a union. It may be a member already, or, by its constants, another form of
// one; else it becomes a new one.
func (m *merger) absorbMember(at site, name string, n *schema.Node, union *merged.Def) {
	if union.HasMember(name) {
		union.AddMember(name, at.rev)
		return
	}
	if d := m.fit.sameMember(at.rev, n, union, m.alternatives); d != nil {
		m.fold(at, name, n, d.Name)
		union.AddMember(d.Name, at.rev)
		return
	}
	if name == "" {
		one := at
		one.self, one.prop = false, at.prop+" other"
		name = m.inlineStruct(one, n, nil).Name
	}
	m.Notef(n.Pos, "%s becomes a member of %s", name, union.Name)
	union.AddMember(name, at.rev)
}
