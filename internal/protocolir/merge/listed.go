package merge

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// checkLists reports requests and notifications of a later revision that no list of messages names and no message
// contains. A list that got another name would cause this for all that it names.
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
		if v.Class(d.Node) == revision.ClassMethod && !known[d.Name] && m.Defs[m.defName(rev, d.Name)] != nil &&
			!m.keepSender(rev, d) {
			m.unlisted(d.Node.Pos, d.Name, revision.MethodOf(d.Node))
		}
	}
}

// keepSender is for a method that the lists of a later revision do not name. It takes over who sends it from the newest
// revision whose lists do. It reports false if there is none, or if another definition of the revision has the method.
func (m *methodMerger) keepSender(rev int, d *schema.Def) bool {
	x := m.Method(revision.MethodOf(d.Node))
	if x == nil || x.By[rev] != "" {
		return false
	}
	last := merged.Bit((x.Client | x.Server).Last())
	x.By[rev] = d.Name
	for _, side := range []*ir.Revs{&x.Client, &x.Server} {
		if *side&last != 0 {
			*side |= merged.Bit(rev)
		}
	}
	m.collectResults(x, rev, d.Name)
	m.Notef(d.Node.Pos, "no list says who sends %s; %q goes on being sent by who sends it in %s", d.Name, x.Name,
		m.Schemas[last.First()].Revision)
	return true
}

// isList reports whether a definition is a union of requests or notifications.
func (m *methodMerger) isList(rev int, d *schema.Def) bool {
	v := m.views[rev]
	return v.Class(d.Node) == revision.ClassUnion && !m.ex.IsMixin(d.Name) &&
		!slices.ContainsFunc(d.Node.AnyOf, func(n *schema.Node) bool {
			return n.Ref == "" || v.ClassOfRef(n.Ref) != revision.ClassMethod
		})
}

// renameLists finds lists of messages that got another name in a later revision, by what they contain.
func (m *methodMerger) renameLists(rev int) {
	v := m.views[rev]
	for _, r := range m.ex.Roles {
		if m.listed || r.Kind == "result" || v.Lookup(r.Name) != nil {
			continue
		}
		for _, d := range v.Defs {
			if m.Defs[d.Name] == nil && m.isList(rev, d) && !v.Referenced(d.Name) && m.listsFor(r, v, d) {
				m.Notef(d.Node.Pos, "%s is the new name of %s", d.Name, r.Name)
				v.RenameList(r.Name, d.Name)
				m.types.roles[rev] = v.Roles()
				break
			}
		}
	}
}

// listsFor reports whether a list is that of role r under another name. At least half of its messages must be known,
// the side of the role must have sent all of those before, and one of them must have been sent by that side only.
func (m *methodMerger) listsFor(r schema.Role, v *revision.View, list *schema.Def) bool {
	known, alone := 0, false
	for _, alt := range list.Node.AnyOf {
		x := m.Method(revision.MethodOf(v.Lookup(alt.Ref).Node))
		if x == nil {
			continue
		}
		sent, other := x.Client, x.Server
		if r.From == "server" {
			sent, other = other, sent
		}
		if sent == 0 || x.Notification != (r.Kind == "notification") {
			return false
		}
		known++
		alone = alone || other == 0
	}
	return alone && 2*known >= len(list.Node.AnyOf)
}

// checkListed reports a request or notification that nobody sends and nothing refers to, because it would be missing in
// the output.
func (m *methodMerger) checkListed(d *merged.Def) {
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
func (m *methodMerger) unlisted(pos schema.Pos, name, method string) {
	kind := revision.KindOfMessage(name, method)
	var lists []string
	for _, r := range m.ex.Roles {
		if r.Kind == kind {
			lists = append(lists, r.Name)
		}
	}
	m.Failf(pos, "no list says who sends %s, and nothing else refers to it; add it to %s", name,
		strings.Join(lists, " or "))
}
