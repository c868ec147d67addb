package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/schema"
)

// defineWhole merges an object that is a value of the struct d: a definition, or an anonymous one at its place.
func (m *merger) defineWhole(name, path string, n *schema.Node, rev int) {
	m.define(name, path, n, rev)
	d := m.Defs[name]
	if d.Whole == nil {
		d.Whole = map[int][]*schema.Node{}
	}
	if !slices.Contains(d.Whole[rev], n) {
		d.Whole[rev] = append(d.Whole[rev], n)
	}
}

// relaxConstant makes a text of a constant that only some of the objects have which are merged into one struct.
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

// relaxRequired lets a struct require in a revision only what all objects require that are merged into it: otherwise
// values of one of them would be refused.
func (m *merger) relaxRequired(rev int) {
	for _, d := range m.Order {
		objects := d.Whole[rev]
		if len(objects) < 2 {
			continue
		}
		for _, f := range d.Fields {
			if f.Required.Has(rev) && slices.ContainsFunc(objects, func(n *schema.Node) bool {
				return !m.views[rev].Requires(n,
					f.JSON)
			}) {
				f.Required &^= merged.Bit(rev)
				m.relaxConstant(d, f, rev)
				m.Notef(f.Pos, "%s.%s is not required: not all objects require it that are merged into %s", d.Name, f.JSON, d.Name)
			}
		}
	}
}
