package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// checkLists refuses a later revision in which a request or notification is in no list of who sends what, and is not
// part of a message either: a list with another name would take away all that it has.
func (m *methodMerger) checkLists(rev int) {
	if m.listed || !m.Later(rev) {
		return
	}
	v := m.views[rev]
	known := map[string]bool{}
	for _, r := range m.ex.Roles {
		for _, d := range v.RoleMembers(r.Name) {
			known[d.Name] = true
		}
	}
	for _, d := range v.Defs {
		if c := v.Class(d.Node); c != revision.ClassMethod && c != revision.ClassRole && !m.isList(rev, d) {
			v.Reach(d.Node, known)
		}
	}
	for _, d := range v.Defs {
		if m.isList(rev, d) && !known[d.Name] {
			m.Failf(d.Node.Pos, "%s lists %s and other messages, and no table says who sends them; write the name into "+
				"\"roles\" of %s, or into \"mixins\" if it is no list of that kind", d.Name, d.Node.AnyOf[0].Ref, m.file)
			v.Reach(d.Node, known)
		}
	}
	for _, d := range v.Defs {
		if v.Class(d.Node) == revision.ClassMethod && !known[d.Name] && m.Defs[m.defName(rev, d.Name)] != nil {
			m.unlisted(d.Node.Pos, d.Name, revision.MethodOf(d.Node))
		}
	}
}

// isList reports whether a definition is a union of requests or notifications.
func (m *methodMerger) isList(rev int, d *schema.Def) bool {
	v := m.views[rev]
	return v.Class(d.Node) == revision.ClassUnion && !m.ex.IsMixin(d.Name) &&
		!slices.ContainsFunc(d.Node.AnyOf, func(n *schema.Node) bool {
			return n.Ref == "" || v.ClassOfRef(n.Ref) != revision.ClassMethod
		})
}
