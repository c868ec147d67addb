// Package merge folds the definitions of all revisions into one set. Of the founding revisions the newest comes first:
// its names and shapes lead, and an older one that differs widens them by rule. Later revisions only add. Unnamed
// objects, enums and unions get names on the way.
package merge

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// Result is the merged protocol, with the notes and errors of the merge.
type Result struct {
	*merged.Set
	*merged.Report
	m *merge
}

// Run merges schemas of different revisions, oldest first.
func Run(schemas []*schema.Schema, opts Options) *Result {
	m := newMerger(schemas, opts)
	all := &merge{&methodMerger{m}, renamer{m.fitter}}
	all.run()
	return &Result{m.Set, m.Report, all}
}

// Name returns the name under which a definition of one revision is merged.
func (r *Result) Name(rev int, definition string) string { return r.m.defName(rev, definition) }

// Referenced reports whether a definition of a revision refers to the one called name.
func (r *Result) Referenced(rev int, name string) bool { return r.m.views[rev].Referenced(name) }

// merge is the merge of all definitions of all revisions.
type merge struct {
	*methodMerger
	renames renamer
}

// run reads all definitions of all revisions.
func (m *merge) run() {
	for i, rev := range m.Sequence {
		m.step = i
		if m.Later(rev) {
			m.renameLists(rev)
			m.renames.findRenames(rev)
		}
		for _, d := range m.views[rev].Defs {
			m.reserve(rev, d)
		}
		for _, d := range m.views[rev].Defs {
			m.definition(rev, d)
		}
		m.relaxRequired(rev)
		m.collectMethods(rev)
		m.checkLists(rev)
		if last := i == len(m.Sequence)-1; last || m.Later(m.Sequence[i+1]) {
			m.finishMethods()
			m.shareEnums()
		}
	}
	m.dropUnreachable()
}

// reserve takes the name of a definition, so that no anonymous type gets it.
func (m *merge) reserve(rev int, d *schema.Def) {
	if m.views[rev].LeavesOut(d) {
		return
	}
	switch m.views[rev].Class(d.Node) {
	case revision.ClassMethod, revision.ClassStruct, revision.ClassUnion, revision.ClassEnum:
		m.get(m.defName(rev, d.Name), d.Name, m.views[rev].Kind(d.Node), d.Node.Pos)
	}
}

// definition merges one named definition of one revision.
func (m *merge) definition(rev int, d *schema.Def) {
	if m.views[rev].LeavesOut(d) {
		m.tellFixed(rev, d)
		return
	}
	n := d.Node
	switch m.views[rev].Class(n) {
	case revision.ClassRole:
	case revision.ClassEnvelope, revision.ClassCode:
		m.tellVersions(rev, d)
		m.errorCode(rev, d)
	case revision.ClassMethod, revision.ClassStruct:
		m.defineWhole(m.defName(rev, d.Name), d.Name, n, rev)
	case revision.ClassUnion:
		name := m.defName(rev, d.Name)
		t := &merged.Type{Kind: ir.KindUnion, Name: name}
		if def := m.get(name, d.Name, revision.Union, n.Pos); m.Later(rev) && def.Revs != 0 {
			def.Revs |= merged.Bit(rev)
			m.absorb(site{rev: rev, owner: name, self: true}, n, t)
			return
		}
		m.union(site{rev: rev, owner: name, self: true}, n, t)
	case revision.ClassEnum:
		m.tellGone(rev, m.enum(m.defName(rev, d.Name), d.Name, n, rev), n)
	default:
		m.aliasOf(rev, d)
	}
}

// aliasOf merges a definition that only gives another type a second name.
func (m *merge) aliasOf(rev int, d *schema.Def) {
	if d.Node.Is("string") || d.Node.Is("integer") || d.Node.Is("number") || d.Node.Is("boolean") ||
		len(d.Node.Types) > 1 {
		return // fields spell it out
	}
	if m.views[rev].Endless(d) {
		m.Failf(d.Node.Pos, "%s refers to nothing but itself, by way of other definitions, so that no value is meant; give "+
			"one of them a type", d.Name)
		return
	}
	def := m.get(m.defName(rev, d.Name), d.Name, revision.Alias, d.Node.Pos)
	def.Revs |= merged.Bit(rev)
	if m.Later(rev) && def.Alias != nil {
		if at := (site{rev: rev, owner: def.Name, self: true, path: d.Name}); m.fits(at, d.Node, def.Alias, 0) {
			m.absorb(at, d.Node, def.Alias)
		} else {
			m.Notef(d.Node.Pos, "%s is another type than in older revisions; the name stays with those", d.Name)
		}
		return
	}
	typ := m.typeOf(site{rev: rev, owner: def.Name, self: true, path: d.Name}, d.Node, def.Alias)
	def.Alias = m.widen(def.Alias, typ)
}
