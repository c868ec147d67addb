package protocolir

import (
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
)

// shareEnums gives anonymous enums of the same property with the same values one name. Those of a later revision join
// the one that has their values already.
func (m *merger) shareEnums() {
	groups := map[string][]*mergedDef{}
	replaced := map[string]string{}
	var names []string
	for _, d := range m.order {
		if d.kind != defEnum || d.shared == "" || d.born < m.leading() {
			continue
		}
		if have := m.defs[goname.Pascal(d.shared)]; have != nil && have != d && have.shared == d.shared &&
			hasValues(have, d) {
			m.joinEnum(have, d, replaced)
			continue
		}
		key := d.shared + "|" + strings.Join(sortedValues(d), "|")
		if groups[key] == nil {
			names = append(names, key)
		}
		groups[key] = append(groups[key], d)
	}
	for _, key := range names {
		first, name := groups[key][0], goname.Pascal(groups[key][0].shared)
		if len(groups[key]) < 2 || m.defs[name] != nil {
			continue
		}
		old := first.name
		for _, d := range groups[key][1:] {
			m.joinEnum(first, d, replaced)
		}
		replaced[old] = name
		delete(m.defs, old)
		first.name, first.path = name, name
		m.defs[name] = first
	}
	m.eachType(func(t *mergedType) {
		for replaced[t.name] != "" {
			t.name = replaced[t.name]
		}
	})
	m.order = slices.DeleteFunc(m.order, func(d *mergedDef) bool { return m.defs[d.name] != d })
}

// leading returns the place in the sequence from which on definitions may still get another name.
func (m *merger) leading() int {
	if !m.later(m.sequence[m.turn]) {
		return 0
	}
	return m.turn
}

// joinEnum makes d the same enumeration as into.
func (m *merger) joinEnum(into, d *mergedDef, replaced map[string]string) {
	replaced[d.name] = into.name
	for _, v := range d.values {
		m.enumValue(into, v.text, v.revs)
	}
	into.revs |= d.revs
	delete(m.defs, d.name)
}

func hasValues(d, part *mergedDef) bool {
	for _, v := range sortedValues(part) {
		if !slices.Contains(sortedValues(d), v) {
			return false
		}
	}
	return true
}

func sortedValues(d *mergedDef) []string {
	var out []string
	for _, v := range d.values {
		out = append(out, v.text)
	}
	sort.Strings(out)
	return out
}
