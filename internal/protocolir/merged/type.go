package merged

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// Type refers to structs, enums and unions by the name of their definition.
type Type struct {
	Kind ir.Kind
	Name string
	Elem *Type
	Many ir.Revs
	Null bool
	// NullIn has the revisions in which it may be null, 0 for all.
	NullIn ir.Revs
	Pos    schema.Pos
}

// Is reports whether there is a type, and of this kind.
func (t *Type) Is(kind ir.Kind) bool { return t != nil && t.Kind == kind }

// Leaf returns what the elements of t are in the end: t itself if it has none.
func (t *Type) Leaf() *Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

// walk calls f for t and what its elements are. t may be nil.
func walk(t *Type, f func(*Type)) {
	for ; t != nil; t = t.Elem {
		f(t)
	}
}

// Bit returns the set of one revision.
func Bit(rev int) ir.Revs { return 1 << rev }
