package merge

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// alternatives are the alternatives of a union in one revision.
type alternatives struct {
	structs []string // merged names
	many    bool     // also a list of these
	null    bool
	other   []*merged.Type // what is not an object
}

func (a *alternatives) add(name string) {
	if !slices.Contains(a.structs, name) {
		a.structs = append(a.structs, name)
	}
}

// union merges anyOf. A union of objects becomes an interface; one that also allows a list
// of the same objects becomes a slice; anything else stays JSON text.
func (m *merger) union(at site, n *schema.Node, prev *merged.Type) *merged.Type {
	if prev.Is(ir.KindAny) {
		return &merged.Type{Kind: ir.KindAny}
	}
	alts := &alternatives{}
	m.collect(at, n, prev, alts)
	switch {
	case len(alts.other) == 1 && len(alts.structs) == 0:
		t := *alts.other[0]
		t.Null = t.Null || alts.null
		return &t
	case len(alts.other) > 0 || len(alts.structs) == 0:
		return &merged.Type{Kind: ir.KindAny, Null: alts.null}
	case len(alts.structs) == 1 && !alts.many && !at.self && (prev == nil || prev.Kind == ir.KindStruct):
		return &merged.Type{Kind: ir.KindStruct, Name: alts.structs[0], Null: alts.null}
	}
	d := m.unionDef(at, n, prev, alts.structs)
	d.Revs |= merged.Bit(at.rev)
	for _, name := range alts.structs {
		d.AddMember(name, at.rev)
	}
	t := &merged.Type{Kind: ir.KindUnion, Name: d.Name, Null: alts.null}
	if alts.many || prev.Is(ir.KindOneOrMany) {
		t = &merged.Type{Kind: ir.KindOneOrMany, Elem: t}
		if prev != nil {
			t.Many = prev.Many
		}
		if alts.many {
			t.Many |= merged.Bit(at.rev)
		}
	}
	return t
}

// collect adds the alternatives of a union to alts, with those of unions inside of it.
func (m *merger) collect(at site, n *schema.Node, prev *merged.Type, alts *alternatives) {
	for i, alt := range n.AnyOf {
		switch {
		case alt.Is("null"):
			alts.null = true
		case alt.Is("array") && alt.Items != nil:
			m.collectList(at, alt, prev, alts)
		case alt.Ref == "" && len(alt.AnyOf) > 0:
			m.collect(at, alt, prev, alts)
		case alt.Ref != "" && m.views[at.rev].ClassOfRef(alt.Ref) == revision.ClassUnion:
			m.collect(at, m.views[at.rev].Lookup(alt.Ref).Node, prev, alts)
		default:
			sub := at
			if alt.Ref == "" {
				sub.self, sub.prop = false, fmt.Sprintf("%s option%d", at.prop, i+1)
			}
			t := m.typeOf(sub, alt, nil)
			if t.Kind == ir.KindStruct {
				alts.add(t.Name)
			} else {
				alts.other = append(alts.other, t)
			}
		}
	}
}

// collectList accepts an alternative that is a list of members of the same union.
func (m *merger) collectList(at site, alt *schema.Node, prev *merged.Type, alts *alternatives) {
	elems := &alternatives{}
	m.collect(at, &schema.Node{AnyOf: []*schema.Node{alt.Items}}, prev, elems)
	if len(elems.other) > 0 || elems.many {
		alts.other = append(alts.other, &merged.Type{Kind: ir.KindList, Elem: &merged.Type{Kind: ir.KindAny}})
		return
	}
	alts.many = true
	for _, name := range elems.structs {
		alts.add(name)
	}
}

// unionDef returns the definition to merge a union into: the one that newer revisions have at this site, a named union
// with the same members, or a new one.
func (m *merger) unionDef(at site, n *schema.Node, prev *merged.Type, structs []string) *merged.Def {
	name, chosen := m.nameAt(at)
	if prev.Is(ir.KindOneOrMany) {
		prev = prev.Elem
	}
	switch {
	case prev.Is(ir.KindUnion):
		name = prev.Name
	case !chosen:
		if same := m.sameUnion(at.rev, structs); same != "" {
			name = same
		}
	}
	name = m.FreeName(name, revision.Union)
	d := m.get(name, name, revision.Union, n.Pos)
	if m.views[at.rev].Lookup(name) == nil && !at.self && d.Revs == 0 {
		d.Hoisted = true
	}
	return d
}

// sameUnion returns the named union of a revision that has exactly these members.
func (m *merger) sameUnion(rev int, structs []string) string {
	if m.unions[rev] == nil {
		m.unions[rev] = map[int][]*schema.Def{}
		for _, d := range m.views[rev].Defs {
			if n := len(d.Node.AnyOf); m.views[rev].Class(d.Node) == revision.ClassUnion {
				m.unions[rev][n] = append(m.unions[rev][n], d)
			}
		}
	}
	for _, d := range m.unions[rev][len(structs)] {
		other := func(alt *schema.Node) bool {
			return alt.Ref == "" || !slices.Contains(structs, m.defName(rev, alt.Ref))
		}
		if !slices.ContainsFunc(d.Node.AnyOf, other) {
			return m.defName(rev, d.Name)
		}
	}
	return ""
}
