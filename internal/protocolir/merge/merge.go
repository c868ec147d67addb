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
	m := newMerge(schemas, opts)
	m.run()
	return &Result{m.Set, m.Report, m}
}

// Name returns the name under which a definition of one revision is merged.
func (r *Result) Name(rev int, definition string) string { return r.m.defName(rev, definition) }

// Referenced reports whether a definition of a revision refers to the one called name.
func (r *Result) Referenced(rev int, name string) bool { return r.m.views[rev].Referenced(name) }

// merge runs its parts over all revisions. They share one state, and none of them embeds another.
type merge struct {
	*state
	types   *merger
	methods methodMerger
	renames renamer
}

// newMerge returns a merge of schemas, which are sorted from the oldest to the newest revision.
func newMerge(schemas []*schema.Schema, opts Options) *merge {
	s := newState(schemas, opts)
	types := newMerger(s)
	return &merge{s, types, methodMerger{s, types}, renamer{s, fitter{s}}}
}

// run reads all definitions of all revisions. The founding ones are read from the newest to the oldest; the later ones
// follow in the order in which they were added to the record.
func (m *merge) run() {
	for i, rev := range m.Sequence {
		m.step = i
		if m.Later(rev) {
			m.methods.renameLists(rev)
			m.renames.findRenames(rev)
		}
		for _, d := range m.views[rev].Defs {
			m.reserve(rev, d)
		}
		for _, d := range m.views[rev].Defs {
			m.definition(rev, d)
		}
		m.types.relaxRequired(rev)
		m.methods.collectMethods(rev)
		m.methods.checkLists(rev)
		if last := i == len(m.Sequence)-1; last || m.Later(m.Sequence[i+1]) {
			m.methods.finishMethods()
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
		m.methods.errorCode(rev, d)
	case revision.ClassMethod, revision.ClassStruct:
		m.types.defineWhole(m.defName(rev, d.Name), d.Name, n, rev)
	case revision.ClassUnion:
		name := m.defName(rev, d.Name)
		at, t := site{rev: rev, owner: name, self: true}, &merged.Type{Kind: ir.KindUnion, Name: name}
		if def := m.get(name, d.Name, revision.Union, n.Pos); m.Later(rev) && def.Revs != 0 {
			def.Revs |= merged.Bit(rev)
			m.types.absorb(at, n, t)
		} else {
			m.types.union(at, n, t)
		}
	case revision.ClassEnum:
		m.tellGone(rev, m.enum(m.defName(rev, d.Name), d.Name, n, rev), n)
	default:
		m.types.aliasOf(rev, d)
	}
}
