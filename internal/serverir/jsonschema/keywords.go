package jsonschema

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// Keywords are what a tag says about a value beyond its type. The zero Keywords say nothing.
type Keywords struct {
	Title, Pattern, Format string
	// Numbers are JSON numbers; empty for none.
	Minimum, Maximum, ExclusiveMinimum, ExclusiveMaximum, MultipleOf json.Number
	MinLength, MaxLength, MinItems, MaxItems                         *uint64
	Unique, ReadOnly, WriteOnly                                      bool
	// Enum, Examples and Default hold strings, json.Number, bool and []any.
	Enum, Examples []any
	Default        any
}

// apply adds the keywords to a schema.
func (k *Keywords) apply(s *jsonschema.Schema) {
	set(&s.Title, k.Title)
	set(&s.Pattern, k.Pattern)
	set(&s.Format, k.Format)
	set(&s.Minimum, k.Minimum)
	set(&s.Maximum, k.Maximum)
	set(&s.ExclusiveMinimum, k.ExclusiveMinimum)
	set(&s.ExclusiveMaximum, k.ExclusiveMaximum)
	set(&s.MultipleOf, k.MultipleOf)
	set(&s.MinLength, k.MinLength)
	set(&s.MaxLength, k.MaxLength)
	set(&s.MinItems, k.MinItems)
	set(&s.MaxItems, k.MaxItems)
	s.UniqueItems, s.ReadOnly, s.WriteOnly = k.Unique, k.ReadOnly, k.WriteOnly
	s.Default, s.Examples = k.Default, k.Examples
	if k.Enum != nil {
		s.Enum = k.Enum
	}
}

// set replaces a keyword by one that says something.
func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}
