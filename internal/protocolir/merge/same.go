package merge

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// foldable reports whether an object of a later revision can be merged into the struct d. Their constants must be the
// same, and they must share at least half of the properties of the smaller one.
func (m *fitter) foldable(rev int, d *merged.Def, n *schema.Node) bool {
	if d == nil || d.Kind != revision.Struct {
		return false
	}
	props := m.views[rev].Properties(n, 0)
	common, fields := 0, 0
	for _, f := range d.Fields {
		if f.JSON == "_meta" {
			continue
		}
		fields++
		p := props[f.JSON]
		if p == nil {
			continue
		}
		common++
		if text := p.Node.OnlyText(); f.Const != "" && text != "" && text != f.Const {
			return false
		}
	}
	least := min(fields, len(props))
	return least == 0 || common > 0 && 2*common >= least
}

// sameMember returns the member of a union that corresponds to an object of a later revision; nil if there is none. It
// prefers the member with the same constants, and otherwise takes, among those that require no more, the one that
// shares most properties. A member that is among the other alternatives of the union is left out.
func (m *fitter) sameMember(rev int, n *schema.Node, union *merged.Def, others []*schema.Node) *merged.Def {
	var best *merged.Def
	most := 0
	props := m.views[rev].Properties(n, 0)
	for _, member := range union.Members {
		d := m.Defs[member.Name]
		beside := slices.ContainsFunc(others, func(alt *schema.Node) bool {
			name, _ := m.findName(rev, alt.Ref)
			return alt.Ref != "" && name == member.Name
		})
		if beside || !m.foldable(rev, d, n) {
			continue
		}
		if m.sameTag(rev, d, n) {
			return d
		}
		common, asks := 0, false
		for _, f := range d.Fields {
			if props[f.JSON] != nil {
				common++
			} else if f.Required == d.Revs {
				asks = true
			}
		}
		if !asks && common > most {
			best, most = d, common
		}
	}
	return best
}

// sameTag reports whether d and an object have the same value for a constant by which members of unions are told apart.
func (m *fitter) sameTag(rev int, d *merged.Def, n *schema.Node) bool {
	for name, p := range m.views[rev].Properties(n, 0) {
		f := d.Field(name)
		if f != nil && f.Const != "" && p.Node.OnlyText() == f.Const && name != "jsonrpc" {
			return true
		}
	}
	return false
}
