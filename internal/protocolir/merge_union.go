package protocolir

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// alternatives is what a union of one revision offers.
type alternatives struct {
	structs []string // merged names
	many    bool     // also a list of these
	null    bool
	other   []*mergedType // what is not an object
}

// union merges anyOf. A union of objects becomes an interface; one that also allows a list
// of the same objects becomes a slice; anything else stays JSON text.
func (m *merger) union(at site, n *schema.Node, prev *mergedType) *mergedType {
	if prev != nil && prev.kind == ir.KindAny {
		return &mergedType{kind: ir.KindAny}
	}
	alts := &alternatives{}
	m.collect(at, n, prev, alts)
	switch {
	case len(alts.other) == 1 && len(alts.structs) == 0:
		t := *alts.other[0]
		t.null = t.null || alts.null
		return &t
	case len(alts.other) > 0 || len(alts.structs) == 0:
		return &mergedType{kind: ir.KindAny, null: alts.null}
	case len(alts.structs) == 1 && !alts.many && !at.self && (prev == nil || prev.kind == ir.KindStruct):
		return &mergedType{kind: ir.KindStruct, name: alts.structs[0], null: alts.null}
	}
	d := m.unionDef(at, n, prev, alts.structs)
	d.revs |= bit(at.rev)
	for _, name := range alts.structs {
		m.addMember(d, name, at.rev)
	}
	t := &mergedType{kind: ir.KindUnion, name: d.name, null: alts.null}
	if alts.many || prev != nil && prev.kind == ir.KindOneOrMany {
		t = &mergedType{kind: ir.KindOneOrMany, elem: t}
		if prev != nil {
			t.many = prev.many
		}
		if alts.many {
			t.many |= bit(at.rev)
		}
	}
	return t
}

// collect flattens the members of a union.
func (m *merger) collect(at site, n *schema.Node, prev *mergedType, alts *alternatives) {
	for i, alt := range n.AnyOf {
		switch {
		case alt.Is("null"):
			alts.null = true
		case alt.Is("array") && alt.Items != nil:
			m.collectList(at, alt, prev, alts)
		case alt.Ref == "" && len(alt.AnyOf) > 0:
			m.collect(at, alt, prev, alts)
		case alt.Ref != "" && m.classOfRef(at.rev, alt.Ref) == classUnion:
			m.collect(at, m.schemas[at.rev].Lookup(alt.Ref).Node, prev, alts)
		default:
			sub := at
			if alt.Ref == "" {
				sub.self, sub.prop = false, fmt.Sprintf("%s option%d", at.prop, i+1)
			}
			t := m.typeOf(sub, alt, nil)
			if t.kind != ir.KindStruct {
				alts.other = append(alts.other, t)
			} else if !slices.Contains(alts.structs, t.name) {
				alts.structs = append(alts.structs, t.name)
			}
		}
	}
}

func (m *merger) classOfRef(rev int, name string) class {
	if _, fixed := m.ex.Type(name); fixed {
		return classAlias
	}
	return m.classify(rev, m.schemas[rev].Lookup(name).Node)
}

// collectList accepts a list whose elements are members of the same union.
func (m *merger) collectList(at site, alt *schema.Node, prev *mergedType, alts *alternatives) {
	elems := &alternatives{}
	items := alt.Items
	if items.Ref != "" && m.classOfRef(at.rev, items.Ref) == classUnion {
		items = m.schemas[at.rev].Lookup(items.Ref).Node
	}
	if len(items.AnyOf) == 0 {
		items = &schema.Node{Pos: items.Pos, AnyOf: []*schema.Node{items}}
	}
	m.collect(at, items, prev, elems)
	if len(elems.other) > 0 || elems.many {
		alts.other = append(alts.other, &mergedType{kind: ir.KindList, elem: &mergedType{kind: ir.KindAny}})
		return
	}
	alts.many = true
	for _, s := range elems.structs {
		if !slices.Contains(alts.structs, s) {
			alts.structs = append(alts.structs, s)
		}
	}
}

// unionDef finds the definition that a union is merged into: what newer revisions have at
// this site, a named union of the same members, or a new one.
func (m *merger) unionDef(at site, n *schema.Node, prev *mergedType, structs []string) *mergedDef {
	name, chosen := m.nameAt(at)
	if prev != nil && prev.kind == ir.KindOneOrMany {
		prev = prev.elem
	}
	switch {
	case prev != nil && prev.kind == ir.KindUnion:
		name = prev.name
	case !chosen:
		if same := m.sameUnion(at.rev, structs); same != "" {
			name = same
		}
	}
	name = m.freeName(name, defUnion)
	d := m.get(name, name, defUnion, n.Pos)
	if m.schemas[at.rev].Lookup(name) == nil && !at.self && d.revs == 0 {
		d.hoisted = true
	}
	return d
}

// sameUnion returns the named union of a revision that has exactly these members.
func (m *merger) sameUnion(rev int, structs []string) string {
	if m.unions[rev] == nil {
		m.unions[rev] = map[int][]*schema.Def{}
		for _, d := range m.schemas[rev].Defs {
			if n := len(d.Node.AnyOf); m.classify(rev, d.Node) == classUnion {
				m.unions[rev][n] = append(m.unions[rev][n], d)
			}
		}
	}
	for _, d := range m.unions[rev][len(structs)] {
		same := true
		for _, alt := range d.Node.AnyOf {
			same = same && alt.Ref != "" && slices.Contains(structs, m.defName(rev, alt.Ref))
		}
		if same {
			return m.defName(rev, d.Name)
		}
	}
	return ""
}

func (m *merger) addMember(d *mergedDef, name string, rev int) {
	d.revs |= bit(rev)
	for i := range d.members {
		if d.members[i].name == name {
			d.members[i].revs |= bit(rev)
			return
		}
	}
	d.members = append(d.members, mergedMember{name, bit(rev)})
}
