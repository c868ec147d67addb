// Package merged holds what the revisions of a protocol have together, before it has Go names: package merge makes it,
// and IR is built from it. Everything in it knows the revisions that have it.
package merged

import (
	"slices"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// Set is what the revisions of a protocol have together.
type Set struct {
	Schemas  []*schema.Schema // oldest first
	Founding ir.Revs          // the revisions that lead together
	Sequence []int            // indices of schemas in the order of merging
	API      *schema.API      // what was given before
	Defs     map[string]*Def
	Order    []*Def // in order of creation, then of names
	Methods  []*Method
	Codes    []*Code
	Empty    string // definition of a result without content
}

// NewSet returns an empty set for schemas, oldest first, in the order of the record.
func NewSet(schemas []*schema.Schema, api *schema.API) *Set {
	s := &Set{Schemas: schemas, Defs: map[string]*Def{}}
	dates := s.Dates()
	s.API = api.For(dates)
	order, founding := s.API.Sequence(dates)
	for i, date := range order {
		rev := slices.Index(dates, date)
		s.Sequence = append(s.Sequence, rev)
		if i < founding {
			s.Founding |= Bit(rev)
		}
	}
	return s
}

// Dates returns the revisions, oldest first.
func (s *Set) Dates() []string {
	var out []string
	for _, one := range s.Schemas {
		out = append(out, one.Revision)
	}
	return out
}

// Method returns the method of this name, or nil.
func (s *Set) Method(name string) *Method {
	if i := slices.IndexFunc(s.Methods, func(m *Method) bool { return m.Name == name }); i >= 0 {
		return s.Methods[i]
	}
	return nil
}

// Later reports whether a revision came after the founding ones.
func (s *Set) Later(rev int) bool { return s.Founding&Bit(rev) == 0 }

// FreeName returns a name for an anonymous type: one that no type of another kind has.
func (s *Set) FreeName(name string, kind revision.Kind) string {
	for s.Defs[name] != nil && s.Defs[name].Kind != kind {
		name += goname.Pascal(kind.String())
	}
	return name
}

// EachType calls f for every type that something in the set has or has had.
func (s *Set) EachType(f func(*Type)) {
	for _, d := range s.Order {
		walk(d.Alias, f)
		for _, field := range d.Fields {
			walk(field.Type, f)
			for _, was := range field.was {
				walk(was.typ, f)
			}
		}
	}
}

// Mark adds to keep what a definition refers to, directly or by way of others, and its own name.
func (s *Set) Mark(name string, keep map[string]bool) {
	d := s.Defs[name]
	if d == nil || keep[name] {
		return
	}
	keep[name] = true
	visit := func(t *Type) { s.Mark(t.Name, keep) }
	walk(d.Alias, visit)
	for _, f := range d.Fields {
		walk(f.Type, visit)
	}
	for _, v := range d.Members {
		s.Mark(v.Name, keep)
	}
}
