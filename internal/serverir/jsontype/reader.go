package jsontype

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// Types describes the Go types of a package as JSON.
type Types struct {
	*gotype.Scope
	// Noted has the types with constants and without an enum directive for which a note was reported.
	Noted map[*types.TypeName]bool
	// forms describe the named types, by direction and text.
	forms map[string]*Type
	// otherNames are names for types that generated code cannot name otherwise, by their text.
	otherNames map[string]types.Type
	// Tags reads the tags of fields.
	Tags *tagrule.Reader
	// mappings are the types that functions with a type directive read and write, by their text.
	mappings map[string]*Mapping
}

// New returns what describes the types of the package s.
func New(s *gotype.Scope) *Types {
	return &Types{Scope: s, Noted: map[*types.TypeName]bool{}, forms: map[string]*Type{},
		otherNames: map[string]types.Type{}, Tags: tagrule.NewReader(s),
		mappings: map[string]*Mapping{}}
}

// To is the same for a reader of some declarations of the package, which s is for.
func (b *Types) To(s *gotype.Scope) *Types {
	other, tags := *b, *b.Tags
	other.Scope, tags.Scope, other.Tags = s, s, &tags
	return &other
}

// MappingOf returns the mapping of t, or nil.
func (b *Types) MappingOf(t types.Type) *Mapping {
	if len(b.mappings) == 0 {
		return nil
	}
	return b.mappings[types.TypeString(types.Unalias(t), nil)]
}

// Selector returns how generated code reaches the field of a value of type t. It is false if an
// unexported type of another package is in the way.
func (b *Types) Selector(t types.Type, f *tagrule.Field) (string, bool) {
	return b.SelectorOf(t, f.Path)
}
