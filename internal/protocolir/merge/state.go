package merge

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// Options say how to merge. All of them are required but the last.
type Options struct {
	Exceptions *schema.Exceptions
	API        *schema.API // what was given before
	// File names the table of exceptions in messages.
	File string
	// Listed says that somebody has made the lists of who sends what, so that a request may be in none.
	Listed bool
}

// state is what the parts of a merge share.
type state struct {
	*merged.Set
	*merged.Report
	ex      *schema.Exceptions
	file    string              // of the exceptions, for messages
	listed  bool                // as in the options
	views   []*revision.View    // by revision
	step    int                 // place in sequence
	renamed []map[string]string // by revision: new names of what is there
}

// newState returns the state before anything is merged. The schemas are sorted from the oldest to the newest revision.
func newState(schemas []*schema.Schema, opts Options) *state {
	s := &state{Set: merged.NewSet(schemas, opts.API), Report: &merged.Report{}, ex: opts.Exceptions,
		file: opts.File, listed: opts.Listed,
		renamed: make([]map[string]string, len(schemas))}
	for _, one := range schemas {
		s.views = append(s.views, revision.New(one, opts.Exceptions))
	}
	return s
}

// get returns the merged definition of this name. It makes one if there is none.
func (m *state) get(name, path string, kind revision.Kind, pos schema.Pos) *merged.Def {
	if d := m.Defs[name]; d != nil {
		return d
	}
	d := &merged.Def{Name: name, Path: path, Kind: kind, Pos: pos, Born: m.step}
	m.Defs[name] = d
	m.Order = append(m.Order, d)
	return d
}

// enum merges the values of an enumeration.
func (m *state) enum(name, path string, n *schema.Node, rev int) *merged.Def {
	d := m.get(name, path, revision.Enum, n.Pos)
	d.Revs |= merged.Bit(rev)
	for _, lit := range n.Enum {
		d.AddValue(lit.Text, merged.Bit(rev))
	}
	return d
}

// site is the place of a type: a property of a definition in one revision.
type site struct {
	rev    int
	owner  string // merged name
	prop   string
	path   string // of the property, for the docs
	nested bool   // below a map: anonymous open objects stay untyped
	self   bool   // the definition itself, not a property
	other  string // tells a second type of a property from the first
}

func (at site) below() site {
	at.nested = true
	return at
}

// nameAt returns the name of an anonymous type at the site. Exceptions come first, then
// owner and property joined.
func (m *state) nameAt(at site) (name string, chosen bool) {
	if at.self {
		return at.owner, true
	}
	if name, ok := m.ex.Name(at.owner, at.prop); ok {
		return name + at.other, true
	}
	return at.owner + goname.Pascal(at.prop) + at.other, false
}

// defName returns the name under which a definition of one revision is merged. If one of another kind has that name, it
// returns a name of its own, and tells of it.
func (m *state) defName(rev int, name string) string {
	found, other := m.findName(rev, name)
	if other == nil {
		return found
	}
	n := m.views[rev].Lookup(name).Node
	kind := withArticle(m.views[rev].Kind(n))
	if m.Later(rev) {
		m.Notef(n.Pos, "%s is %s here and %s before; the new form is named %s", other.Name, kind, withArticle(other.Kind),
			found)
	} else if m.Defs[found] == nil {
		m.Warnf(n.Pos, "%s is %s here and %s in a newer revision (%s); the older form is named %s", other.Name, kind,
			withArticle(other.Kind), other.Pos, found)
	}
	return found
}

// findName is defName without a note. other is the definition of another kind that has the name already, or nil.
func (m *state) findName(rev int, name string) (found string, other *merged.Def) {
	d := m.views[rev].Lookup(name)
	if d == nil {
		return name, nil
	}
	kind := m.views[rev].Kind(d.Node)
	joint := m.ex.Alias(m.mergedName(rev, name), kind.String())
	if have := m.Defs[joint]; have != nil && have.Kind != kind {
		return joint + goname.Pascal(kind.String()) + strings.ReplaceAll(m.views[rev].Revision, "-", ""), have
	}
	return joint, nil
}

// mergedName follows a rename.
func (m *state) mergedName(rev int, name string) string {
	if to := m.renamed[rev][name]; to != "" {
		return to
	}
	return name
}

func withArticle(kind revision.Kind) string {
	if kind == revision.Struct || kind == revision.Union {
		return "a " + kind.String()
	}
	return "an " + kind.String()
}
