package merge

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/schema"
)

// What a released revision gave stays. A revision that comes after the founding ones is merged last, into types that
// are there already: a property keeps its Go type if that can hold what the revision allows, maybe after it has got
// more fields, members or values. If it cannot, the property gets a second field, and the codec chooses by revision.

// laterProperty merges a property of a later revision. It reports false if the struct has no such property yet.
func (m *merger) laterProperty(d *merged.Def, p *schema.Property, required bool, rev int) bool {
	list := d.FieldsOf(p.Name)
	if len(list) == 0 {
		return false
	}
	at := site{rev: rev, owner: d.Name, prop: p.Name, path: d.Path + "." + p.Name}
	for _, f := range slices.Backward(list) {
		if !m.fit.holds(f, at, p.Node) {
			continue
		}
		if m.twice(list, f, d, p, rev) {
			return true
		}
		if f.Const == "" {
			m.absorb(at, p.Node, f.Type)
		}
		m.tellProperty(d, f, p, rev)
		f.Appears(rev, required)
		f.Record(rev, f.Type, p.Node)
		return true
	}
	if m.twice(list, nil, d, p, rev) {
		return true
	}
	if last := list[len(list)-1]; !required && m.opens(last, at, p.Node) {
		m.Notef(p.Pos, "%s.%s can be any value from this revision on; its Go type is JSON text as before", d.Name, p.Name)
		last.Narrow = append(last.Narrow, ir.Narrow{Revs: last.Revs, Strict: true})
		last.Type = &merged.Type{Kind: ir.KindAny, Pos: p.Node.Pos}
		last.Appears(rev, required)
		return true
	}
	f := &merged.Field{JSON: p.Name, Pos: p.Pos}
	f.Appears(rev, required)
	f.Constant(p.Node, required, true)
	d.Add(f)
	at.other = fmt.Sprint(len(list) + 1)
	f.Type = m.typeOf(at, p.Node, nil)
	f.Record(rev, f.Type, p.Node)
	m.Notef(p.Pos, "%s.%s is another type than in older revisions; it gets a field of its own", d.Name, p.Name)
	return true
}

// opens reports whether a property that may have any value in a later revision fits into a field for an optional
// object, which is kept as JSON text.
func (m *merger) opens(f *merged.Field, at site, n *schema.Node) bool {
	if _, fixed := m.fit.fixedAt(at, n); fixed || f.Type.Kind != ir.KindObject || f.Required != 0 || len(n.AnyOf) > 0 ||
		len(n.AllOf) > 0 {
		return false
	}
	return m.typeOf(at, n, nil).Kind == ir.KindAny
}

// twice reports whether this revision has given the property another field already. f is the field that it has now; nil
// if it would be a new one. That happens if two objects of the revision are merged into one struct. It is an error,
// because the values of one of them would be refused, unless the other field is the constant that the property has.
func (m *merger) twice(list []*merged.Field, f *merged.Field, d *merged.Def, p *schema.Property, rev int) bool {
	for _, other := range list {
		if other == f || !other.Revs.Has(rev) {
			continue
		}
		if other.Const == "" || p.Node.OnlyText() != other.Const {
			m.Failf(p.Pos, "%s.%s has two types in this revision, which merge into one struct; give one of the definitions "+
				"another name in \"aliases\" of %s", d.Name, p.Name, m.file)
		}
		return true
	}
	return false
}
