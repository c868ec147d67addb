package merge

import (
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// dropUnreachable removes anonymous types that were replaced by wider ones, and requests and notifications that nothing
// refers to.
func (m *state) dropUnreachable() {
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
			m.checkListed(d)
		}
	}
	m.Order = slices.DeleteFunc(m.Order, func(d *merged.Def) bool { return !keep[d.Name] })
	sort.Slice(m.Order, func(i, j int) bool { return m.Order[i].Name < m.Order[j].Name })
}

// checkListed reports a request or notification that nobody sends and nothing refers to, because it would be missing in
// the output.
func (m *state) checkListed(d *merged.Def) {
	if m.listed {
		return
	}
	f := d.Field("method")
	if f == nil || slices.ContainsFunc(m.Methods, func(x *merged.Method) bool {
		return x.Name == f.Const || x.Name == f.Optional || x.Def == d.Name
	}) {
		return
	}
	m.unlisted(d.Pos, d.Name, f.Const)
}

// unlisted reports that no list says who sends a request or notification.
func (m *state) unlisted(pos schema.Pos, name, method string) {
	kind := "request"
	if revision.IsNotification(name, method) {
		kind = "notification"
	}
	var lists []string
	for _, r := range m.ex.Roles {
		if r.Kind == kind {
			lists = append(lists, r.Name)
		}
	}
	m.Failf(pos, "no list says who sends %s, and nothing else refers to it; add it to %s", name,
		strings.Join(lists, " or "))
}
