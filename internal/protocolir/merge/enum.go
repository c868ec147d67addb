package merge

import (
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
)

// shareEnums gives anonymous enums one name if they belong to properties of the same name and have the same values.
// Enums of a later revision take the name of an existing one that has all their values.
func (m *merge) shareEnums() {
	groups := map[string][]*merged.Def{}
	replaced := map[string]string{}
	var names []string
	for _, d := range m.Order {
		if d.Kind != revision.Enum || d.Shared == "" || d.Born < m.leading() {
			continue
		}
		if have := m.Defs[goname.Pascal(d.Shared)]; have != nil && have != d && have.Shared == d.Shared &&
			hasValues(have, d) {
			m.joinEnum(have, d, replaced)
			continue
		}
		key := d.Shared + "|" + strings.Join(sortedValues(d), "|")
		if groups[key] == nil {
			names = append(names, key)
		}
		groups[key] = append(groups[key], d)
	}
	for _, key := range names {
		first, name := groups[key][0], goname.Pascal(groups[key][0].Shared)
		if len(groups[key]) < 2 || m.Defs[name] != nil {
			continue
		}
		old := first.Name
		for _, d := range groups[key][1:] {
			m.joinEnum(first, d, replaced)
		}
		replaced[old] = name
		delete(m.Defs, old)
		first.Name, first.Path = name, name
		m.Defs[name] = first
	}
	m.EachType(func(t *merged.Type) {
		for replaced[t.Name] != "" {
			t.Name = replaced[t.Name]
		}
	})
	m.Order = slices.DeleteFunc(m.Order, func(d *merged.Def) bool { return m.Defs[d.Name] != d })
}

// leading returns the index in the sequence of revisions from which on definitions may still be renamed. Names of
// earlier ones are in the record.
func (m *merge) leading() int {
	if !m.Later(m.Sequence[m.step]) {
		return 0
	}
	return m.step
}

// joinEnum merges the enumeration d into another one, and removes it.
func (m *merge) joinEnum(into, d *merged.Def, replaced map[string]string) {
	replaced[d.Name] = into.Name
	for _, v := range d.Values {
		into.AddValue(v.Text, v.Revs)
	}
	into.Revs |= d.Revs
	delete(m.Defs, d.Name)
}

func hasValues(d, of *merged.Def) bool {
	return !slices.ContainsFunc(of.Values, func(v merged.Value) bool { return !d.HasValue(v.Text) })
}

func sortedValues(d *merged.Def) []string {
	var out []string
	for _, v := range d.Values {
		out = append(out, v.Text)
	}
	sort.Strings(out)
	return out
}
