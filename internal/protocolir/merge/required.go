package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/schema"
)

// defineWhole merges an object into the struct called name, and notes that its values are whole values of that struct.
// The object is a definition, or an anonymous one at the place of the struct.
func (m *merger) defineWhole(name, path string, n *schema.Node, rev int) {
	m.define(name, path, n, rev, nil)
	d := m.Defs[name]
	if d.Whole == nil {
		d.Whole = map[int][]*schema.Node{}
	}
	if !slices.Contains(d.Whole[rev], n) {
		d.Whole[rev] = append(d.Whole[rev], n)
	}
}

// relaxConstant lets a field have any text, if it is a constant in some of the objects that are merged into the struct
// and absent in others.
func (m *merger) relaxConstant(d *merged.Def, f *merged.Field, rev int) {
	switch {
	case f.Const == "":
	case f.Revs == merged.Bit(rev):
		f.Const = ""
	default:
		m.Failf(f.Pos, "%s.%s is always %q, and not all objects have it that are merged into one struct; give one of the "+
			"definitions another name in \"aliases\" of %s", d.Name, f.JSON, f.Const, m.file)
	}
}

// relaxRequired makes a field required in a revision only if all objects of that revision that are merged into the
// struct require it. Otherwise values of some of them would be refused.
func (m *merger) relaxRequired(rev int) {
	for _, d := range m.Order {
		objects := d.Whole[rev]
		if len(objects) < 2 {
			continue
		}
		for _, f := range d.Fields {
			free := func(n *schema.Node) bool { return !m.views[rev].Requires(n, f.JSON) }
			if f.Required.Has(rev) && slices.ContainsFunc(objects, free) {
				f.Required &^= merged.Bit(rev)
				m.relaxConstant(d, f, rev)
				m.Notef(f.Pos, "%s.%s is not required: not all objects require it that are merged into %s", d.Name, f.JSON, d.Name)
			}
		}
	}
}
