package protocolir

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// absorb lets the types that t names grow by what a later revision has at its place. It must fit.
func (m *merger) absorb(at site, n *schema.Node, t *mergedType) {
	if fixed, ok := m.fixedAt(at, n); ok {
		m.absorbFixed(at, t, fixed)
		return
	}
	if t.kind == ir.KindAny {
		return
	}
	t.null = t.null || admitsNull(n)
	switch {
	case n.Ref != "":
		m.absorbRef(at, n, t)
	case len(n.AnyOf) > 0:
		for _, alt := range n.AnyOf {
			m.absorb(at.below(), alt, t)
		}
	case len(n.AllOf) > 0, len(n.Properties) > 0:
		m.absorbStruct(at, "", n, t)
	case len(n.Enum) > 0:
		if t.kind == ir.KindEnum {
			m.enum(t.name, t.name, n, at.rev)
		}
	case n.Is("array"):
		if t.kind == ir.KindOneOrMany {
			t.many |= bit(at.rev)
		}
		if n.Items != nil && t.elem != nil {
			m.absorb(at.below(), n.Items, t.elem)
		}
	case n.Is("object"):
		switch {
		case n.Additional != nil && t.kind == ir.KindMap:
			m.absorb(at.below(), n.Additional, t.elem)
		case t.kind == ir.KindStruct && n.Additional == nil:
			m.reachLater(t.name, at.rev)
		case t.kind == ir.KindUnion || t.kind == ir.KindOneOrMany:
			m.absorbStruct(at, "", n, t)
		}
	}
}

// absorbFixed is absorb for a type that the exceptions fix.
func (m *merger) absorbFixed(at site, t, fixed *mergedType) {
	switch {
	case fixed.kind == ir.KindObject && t.kind == ir.KindStruct:
		m.reachLater(t.name, at.rev)
	case fixed.kind == ir.KindEnum && t.kind == ir.KindEnum:
		if e, ok := m.ex.OpenEnum(at.owner, at.prop); ok {
			m.openEnum(at, e)
		}
	}
}

func admitsNull(n *schema.Node) bool {
	for _, alt := range n.AnyOf {
		if alt.Is("null") {
			return true
		}
	}
	if len(n.Types) > 1 {
		if slices.Contains(n.Types, "null") {
			return true
		}
	}
	return false
}

// reachLater lets an anonymous struct cover a revision that has only an open object at its place.
func (m *merger) reachLater(name string, rev int) {
	if d := m.defs[name]; d != nil && d.hoisted {
		d.revs |= bit(rev)
	}
}

func (m *merger) absorbRef(at site, n *schema.Node, t *mergedType) {
	target := m.schemas[at.rev].Lookup(n.Ref).Node
	name := m.defName(at.rev, n.Ref)
	switch m.classify(at.rev, target) {
	case classMethod, classStruct:
		m.absorbStruct(at, name, target, t)
	case classUnion:
		if t.name == name {
			return // the definition merges itself
		}
		m.notef(n.Pos, "%s is at the place of %s, which holds it", n.Ref, heldBy(t))
		if t.kind == ir.KindUnion || t.kind == ir.KindOneOrMany {
			m.absorb(at, target, t)
		}
	case classEnum:
		if t.kind == ir.KindEnum && t.name != name {
			m.notef(n.Pos, "%s is at the place of %s, which gets its values", n.Ref, t.name)
			m.enum(t.name, t.name, target, at.rev)
		}
	case classAlias:
		if !m.reaches(at.rev, target, n.Ref, map[string]bool{}) {
			m.absorb(at, target, t)
		}
	}
}

func heldBy(t *mergedType) string {
	if t.elem != nil {
		return heldBy(t.elem)
	}
	return t.name
}

// absorbStruct merges an object into the struct or the union at its place. name is "" for an anonymous one.
func (m *merger) absorbStruct(at site, name string, n *schema.Node, t *mergedType) {
	switch t.kind {
	case ir.KindOneOrMany:
		m.absorbStruct(at, name, n, t.elem)
	case ir.KindUnion:
		m.absorbMember(at, name, n, m.defs[t.name])
	case ir.KindStruct:
		if t.name != name {
			m.fold(at, name, n, t.name)
		}
	}
}

// fold merges an object into the struct of another name.
func (m *merger) fold(at site, name string, n *schema.Node, into string) {
	key := foldKey{at.rev, n, into}
	if m.folded[key] {
		return
	}
	m.folded[key] = true
	if name != "" {
		m.notef(n.Pos, "%s is at the place of %s, which gets its fields", name, into)
	}
	m.defineWhole(into, m.defs[into].path, n, at.rev)
}

// foldKey is an object of a revision and the struct that it was merged into.
type foldKey struct {
	rev  int
	node *schema.Node
	into string
}

// absorbMember makes an object a member of a union: one that it is already, one whose constants say that it is the
// same, or a new one.
func (m *merger) absorbMember(at site, name string, n *schema.Node, union *mergedDef) {
	if name != "" {
		for _, member := range union.members {
			if member.name == name {
				m.addMember(union, name, at.rev)
				return
			}
		}
	}
	if d := m.sameMember(at.rev, n, union); d != nil {
		m.fold(at, name, n, d.name)
		m.addMember(union, d.name, at.rev)
		return
	}
	if name == "" {
		one := at
		one.self, one.prop = false, at.prop+" other"
		name = m.inlineStruct(one, n, nil).name
	}
	m.notef(n.Pos, "%s becomes a member of %s", name, union.name)
	m.addMember(union, name, at.rev)
}

// sameMember finds the member of a union that an object of a later revision is: the one with its constants, else the
// one that asks for no more and shares most. It returns nil if there is none.
func (m *merger) sameMember(rev int, n *schema.Node, union *mergedDef) *mergedDef {
	var best *mergedDef
	most := 0
	props := m.propertiesOf(rev, n, 0)
	for _, member := range union.members {
		d := m.defs[member.name]
		if !m.foldable(rev, d, n) {
			continue
		}
		if m.sameTag(rev, d, n) {
			return d
		}
		common, asks := 0, false
		for _, f := range d.fields {
			if props[f.json] != nil {
				common++
			} else if f.required == d.revs {
				asks = true
			}
		}
		if !asks && common > most {
			best, most = d, common
		}
	}
	return best
}

// sameTag reports whether a constant that tells the members of unions apart is the same in both.
func (m *merger) sameTag(rev int, d *mergedDef, n *schema.Node) bool {
	for name, p := range m.propertiesOf(rev, n, 0) {
		f := d.field(name)
		if f != nil && f.konst != "" && p.Node.Const != nil && p.Node.Const.Text == f.konst && name != "jsonrpc" {
			return true
		}
	}
	return false
}
