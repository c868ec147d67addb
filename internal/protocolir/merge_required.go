package protocolir

import (
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// defineWhole merges an object that is a value of the struct d: a definition, or an anonymous one at its place.
func (m *merger) defineWhole(name, path string, n *schema.Node, rev int) {
	m.define(name, path, n, rev)
	d := m.defs[name]
	if d.whole == nil {
		d.whole = map[int][]*schema.Node{}
	}
	if !slices.Contains(d.whole[rev], n) {
		d.whole[rev] = append(d.whole[rev], n)
	}
}

// relaxRequired lets a struct require in a revision only what all objects require that are merged into it: otherwise
// values of one of them would be refused.
func (m *merger) relaxRequired(rev int) {
	for _, d := range m.order {
		objects := d.whole[rev]
		if len(objects) < 2 {
			continue
		}
		for _, f := range d.fields {
			if f.required.Has(rev) && slices.ContainsFunc(objects, func(n *schema.Node) bool {
				return !m.requires(rev, n,
					f.json)
			}) {
				f.required &^= bit(rev)
				m.notef(f.pos, "%s.%s is not required: not all objects require it that are merged into %s", d.name, f.json, d.name)
			}
		}
	}
}
