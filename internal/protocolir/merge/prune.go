package merge

import (
	"slices"
	"sort"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
)

// dropUnreachable removes anonymous types that were replaced by wider ones, and requests and notifications that nothing
// refers to.
func (m *merge) dropUnreachable() {
	keep := map[string]bool{}
	for _, d := range m.Order {
		if !d.Hoisted && !d.Method {
			m.Mark(d.Name, keep)
		}
	}
	for _, x := range m.Methods {
		m.Mark(x.Params, keep)
		for _, r := range x.Results {
			m.Mark(r, keep)
		}
	}
	for _, c := range m.Codes {
		m.Mark(c.Data, keep)
	}
	for _, d := range m.Order {
		if d.Method && !keep[d.Name] {
			m.methods.checkListed(d)
		}
	}
	m.Order = slices.DeleteFunc(m.Order, func(d *merged.Def) bool { return !keep[d.Name] })
	sort.Slice(m.Order, func(i, j int) bool { return m.Order[i].Name < m.Order[j].Name })
}
