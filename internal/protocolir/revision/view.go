// Package revision tells what one revision's schema says: what each definition is for, which parts definitions play in
// messages, and what objects have with what they include.
package revision

import "github.com/mcpgen/mcpgen/schema"

// View is one revision's schema, and what can be found out about it alone.
type View struct {
	*schema.Schema
	ex       *schema.Exceptions
	refs     map[string]bool // what is referred to
	classes  map[*schema.Node]Class
	objects  map[*schema.Node]bool // what ofObjects has found out
	openMeta *bool                 // what declaresMeta has found out
	renamed  map[string]string     // other names of lists, by role
	lists    map[*schema.Node]bool // what findLists has found out
}

// New returns the view of a schema.
func New(s *schema.Schema, ex *schema.Exceptions) *View {
	return &View{Schema: s, ex: ex, classes: map[*schema.Node]Class{}, objects: map[*schema.Node]bool{}}
}

// MaxDepth bounds how deep types are compared; lists and maps that name themselves have no end.
const MaxDepth = 16
