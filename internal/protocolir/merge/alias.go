package merge

import (
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// aliasOf merges a definition that only gives another type a second name.
func (m *merger) aliasOf(rev int, d *schema.Def) {
	if _, isScalar := scalarKind(d.Node); isScalar || len(d.Node.Types) > 1 {
		return // fields spell it out
	}
	if m.views[rev].Endless(d) {
		m.Failf(d.Node.Pos, "%s refers to nothing but itself, by way of other definitions, so that no value is meant; give "+
			"one of them a type", d.Name)
		return
	}
	def := m.get(m.defName(rev, d.Name), d.Name, revision.Alias, d.Node.Pos)
	def.Revs |= merged.Bit(rev)
	at := site{rev: rev, owner: def.Name, self: true, path: d.Name}
	switch {
	case !m.Later(rev) || def.Alias == nil:
		typ := m.typeOf(at, d.Node, def.Alias)
		def.Alias = m.widen(def.Alias, typ)
	case m.fit.fits(at, d.Node, def.Alias, 0):
		m.absorb(at, d.Node, def.Alias)
	default:
		m.Notef(d.Node.Pos, "%s is another type than in older revisions; the name stays with those", d.Name)
	}
}
