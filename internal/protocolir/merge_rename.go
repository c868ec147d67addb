package protocolir

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// findRenames finds out which definitions of a later revision are new names of what is there: requests by their
// method, and everything else by its place. A definition whose old name the revision still has is none.
func (m *merger) findRenames(rev int) {
	m.renamed[rev] = map[string]string{}
	for _, d := range m.schemas[rev].Defs {
		method := methodOf(d.Node)
		if method == "" || m.defs[d.Name] != nil {
			continue
		}
		for _, x := range m.methods {
			if x.name == method && m.schemas[rev].Lookup(x.def) == nil {
				m.rename(rev, d, x.def)
			}
		}
	}
	for again := true; again; {
		again = false
		for _, d := range m.schemas[rev].Defs {
			if m.leavesOut(rev, d) || m.kindOf(rev, d.Node) == defAlias {
				continue
			}
			have := m.defs[m.defName(rev, d.Name)]
			if have == nil {
				continue
			}
			switch have.kind {
			case defStruct:
				for _, p := range m.propertiesOf(rev, d.Node, 0) {
					if f := have.field(p.Name); f != nil && f.typ != nil {
						again = m.renameAt(rev, p.Node, f.typ) || again
					}
				}
			case defUnion:
				again = m.renameMembers(rev, d.Node, have) || again
			}
		}
	}
}

func (m *merger) rename(rev int, d *schema.Def, to string) {
	m.renamed[rev][d.Name] = to
	m.notef(d.Node.Pos, "%s is the new name of %s", d.Name, to)
}

// renameAt looks for new names in the type of a place.
func (m *merger) renameAt(rev int, n *schema.Node, t *mergedType) bool {
	for t.elem != nil {
		switch {
		case n.Items != nil:
			n = n.Items
		case n.Additional != nil:
			n = n.Additional
		case t.kind != ir.KindOneOrMany:
			return false
		}
		t = t.elem
	}
	return n.Ref != "" && m.isRename(rev, n.Ref, t.name)
}

// isRename takes a definition for a new name of another one if the kinds agree, the revision does not have the other
// one, and structs are alike.
func (m *merger) isRename(rev int, name, old string) bool {
	d, have := m.schemas[rev].Lookup(name), m.defs[old]
	if have == nil || name == old || m.renamed[rev][name] != "" || m.taken(rev, old) || m.leavesOut(rev, d) {
		return false
	}
	if m.kindOf(rev, d.Node) != have.kind || have.kind == defAlias || m.defs[m.defName(rev, name)] != nil {
		return false
	}
	if have.kind == defStruct && !m.foldable(rev, have, d.Node) {
		return false
	}
	m.rename(rev, d, old)
	return true
}

// taken reports whether a revision has a definition that is merged under this name already.
func (m *merger) taken(rev int, name string) bool {
	if m.schemas[rev].Lookup(name) != nil {
		return true
	}
	for _, a := range m.ex.Aliases {
		if a.To == name && m.schemas[rev].Lookup(a.Name) != nil {
			return true
		}
	}
	return false
}

// renameMembers looks for members of a union that have the constants of one that the revision does not have.
func (m *merger) renameMembers(rev int, n *schema.Node, union *mergedDef) bool {
	found := false
	for _, alt := range n.AnyOf {
		if alt.Ref == "" || m.schemas[rev].Lookup(alt.Ref) == nil {
			continue
		}
		target := m.schemas[rev].Lookup(alt.Ref).Node
		for _, member := range union.members {
			if m.sameTag(rev, m.defs[member.name], target) && m.isRename(rev, alt.Ref, member.name) {
				found = true
			}
		}
	}
	return found
}

// mergedName follows a rename.
func (m *merger) mergedName(rev int, name string) string {
	if to := m.renamed[rev][name]; to != "" {
		return to
	}
	return name
}

// otherSuffix names what a second type of a property is.
func otherSuffix(t *mergedType) string {
	switch t.kind {
	case ir.KindStruct:
		return "Struct"
	case ir.KindUnion:
		return "Union"
	case ir.KindList:
		return "List"
	case ir.KindOneOrMany:
		return "OneOrMany"
	case ir.KindMap:
		return "Map"
	case ir.KindAny:
		return "Value"
	case ir.KindObject:
		return "Object"
	case ir.KindError:
		return "Error"
	default:
		return kindSuffixes[t.kind]
	}
}

var kindSuffixes = map[ir.Kind]string{
	ir.KindString: "String", ir.KindEnum: "String", ir.KindBytes: "Bytes", ir.KindBool: "Bool", ir.KindInt: "Int",
	ir.KindFloat: "Float", ir.KindID: "ID",
}
