package merge

import (
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// merger folds the definitions of several revisions into one set. Of the founding revisions it reads the newest first:
// its names and shapes lead, and what an older revision has at the same place is folded into them. Revisions that came
// later follow, in the order in which they came: they only add.
type merger struct {
	*fitter
	roles  []map[string]revision.Role // by revision: roles of params and results definitions
	folded map[foldKey]bool
	unions []map[int][]*schema.Def // by revision: definitions of unions by the number of their members
	within map[*schema.Node]string // anonymous objects that are being merged: names of their structs
	// alternatives are those of the union that is being absorbed.
	alternatives []*schema.Node
}

// newMerger prepares the merge of schemas, oldest first, in the order of the record.
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

// foldKey is an object of a revision and the struct that it was merged into.
type foldKey struct {
	rev  int
	node *schema.Node
	into string
}
