package merge

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// renamer finds existing definitions that a later revision gives other names.
type renamer struct {
	*state
	fit fitter
}

// findRenames finds the definitions of a later revision that are existing ones under another name. It recognises
// requests by their method, and all others by the places that refer to them. If the revision also has a definition of
// the old name, it is no rename.
func (m *renamer) findRenames(rev int) {
	m.renamed[rev] = map[string]string{}
	for _, d := range m.views[rev].Defs {
		method := revision.MethodOf(d.Node)
		if method == "" || m.Defs[d.Name] != nil {
			continue
		}
		if x := m.Method(method); x != nil && m.views[rev].Lookup(x.Def) == nil {
			m.rename(rev, d, x.Def)
		}
	}
	for again := true; again; {
		again = false
		for _, d := range m.views[rev].Defs {
			if m.views[rev].LeavesOut(d) || m.views[rev].Kind(d.Node) == revision.Alias {
				continue
			}
			have := m.Defs[m.defName(rev, d.Name)]
			if have == nil {
				continue
			}
			switch have.Kind {
			case revision.Struct:
				for _, p := range m.views[rev].Properties(d.Node, 0) {
					if f := have.Field(p.Name); f != nil && f.Type != nil {
						again = m.renameAt(rev, p.Node, f.Type) || again
					}
				}
			case revision.Union:
				again = m.renameMembers(rev, d.Node, have) || again
			}
		}
	}
}

func (m *renamer) rename(rev int, d *schema.Def, to string) {
	m.renamed[rev][d.Name] = to
	m.Notef(d.Node.Pos, "%s is the new name of %s", d.Name, to)
}

// renameAt looks for renamed definitions in the type of a place, where t is what earlier revisions have.
func (m *renamer) renameAt(rev int, n *schema.Node, t *merged.Type) bool {
	for t.Elem != nil {
		switch {
		case n.Items != nil:
			n = n.Items
		case n.Additional != nil:
			n = n.Additional
		case t.Kind != ir.KindOneOrMany:
			return false
		}
		t = t.Elem
	}
	return n.Ref != "" && m.isRename(rev, n.Ref, t.Name)
}

// isRename reports whether definition name is old under another name: they are of the same kind, the revision has no
// definition old, and structs are alike.
func (m *renamer) isRename(rev int, name, old string) bool {
	d, have := m.views[rev].Lookup(name), m.Defs[old]
	if have == nil || name == old || m.renamed[rev][name] != "" || m.taken(rev, old) || m.views[rev].LeavesOut(d) {
		return false
	}
	if m.views[rev].Kind(d.Node) != have.Kind || have.Kind == revision.Alias || m.Defs[m.defName(rev, name)] != nil {
		return false
	}
	if have.Kind == revision.Struct && !m.fit.foldable(rev, have, d.Node) {
		return false
	}
	m.rename(rev, d, old)
	return true
}

// taken reports whether a revision has a definition that is merged under this name already.
func (m *renamer) taken(rev int, name string) bool {
	if m.views[rev].Lookup(name) != nil {
		return true
	}
	for _, a := range m.ex.Aliases {
		if a.To == name && m.views[rev].Lookup(a.Name) != nil {
			return true
		}
	}
	return false
}

// renameMembers looks for alternatives of a union that have the constants of an earlier member which the revision
// lacks.
func (m *renamer) renameMembers(rev int, n *schema.Node, union *merged.Def) bool {
	found := false
	for _, alt := range n.AnyOf {
		if alt.Ref == "" {
			continue
		}
		target := m.views[rev].Lookup(alt.Ref).Node
		for _, member := range union.Members {
			if m.fit.sameTag(rev, m.Defs[member.Name], target) && m.isRename(rev, alt.Ref, member.Name) {
				found = true
			}
		}
	}
	return found
}
