package merge

import (
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// merger merges types: structs, unions, enumerations, and the fields of structs. In the founding revisions, with which
// the record began, names and types of the newest win, and older ones are merged into them. Later revisions only add.
type merger struct {
	*state
	fit    fitter
	roles  []map[string]revision.Role // by revision: roles of params and results definitions
	folded map[foldKey]bool
	unions []map[int][]*schema.Def // by revision: definitions of unions by the number of their members
	within map[*schema.Node]string // anonymous objects that are being merged: names of their structs
	// alternatives are those of the union that is being absorbed.
	alternatives []*schema.Node
}

func newMerger(s *state) *merger {
	m := &merger{state: s, fit: fitter{s}, folded: map[foldKey]bool{}, within: map[*schema.Node]string{},
		unions: make([]map[int][]*schema.Def, len(s.views))}
	for _, v := range s.views {
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
