package merge

import (
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// merger merges the definitions of several revisions into one set. The founding revisions, with which the record began,
// are read from the newest to the oldest: names and types of the newest win, and older ones are merged into them. The
// later revisions follow in the order in which they were added to the record. They only add.
type merger struct {
	*fitter
	roles  []map[string]revision.Role // by revision: roles of params and results definitions
	folded map[foldKey]bool
	unions []map[int][]*schema.Def // by revision: definitions of unions by the number of their members
	within map[*schema.Node]string // anonymous objects that are being merged: names of their structs
	// alternatives are those of the union that is being absorbed.
	alternatives []*schema.Node
}

// newMerger returns a merger for schemas. They are sorted from the oldest to the newest revision.
func newMerger(schemas []*schema.Schema, opts Options) *merger {
	s := &state{Set: merged.NewSet(schemas, opts.API), Report: &merged.Report{}, ex: opts.Exceptions,
		file: opts.File, listed: opts.Listed,
		renamed: make([]map[string]string, len(schemas))}
	m := &merger{fitter: &fitter{s}, folded: map[foldKey]bool{}, within: map[*schema.Node]string{},
		unions: make([]map[int][]*schema.Def, len(schemas))}
	for _, one := range schemas {
		v := revision.New(one, opts.Exceptions)
		s.views = append(s.views, v)
		m.roles = append(m.roles, v.Roles())
	}
	return m
}

// foldKey identifies an object of a revision, and the struct that it was merged into.
type foldKey struct {
	rev  int
	node *schema.Node
	into string
}
