package jsontype

import (
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// IsMapped reports whether values of f are mapped, perhaps behind pointers.
func (f *Type) IsMapped() bool {
	for f.Kind == Pointer {
		f = f.Elem
	}
	return f.Kind == Mapped
}

// anyMapped is HoldsMapped for a form; seen were looked at.
func anyMapped(f *Type, seen map[*Type]bool) bool {
	if f == nil || seen[f] {
		return false
	}
	seen[f] = true
	return f.Kind == Mapped || anyMapped(f.Elem, seen) ||
		slices.ContainsFunc(f.Members, func(m *Member) bool { return anyMapped(m.Value, seen) })
}

// Type is the one description of how values of a Go type look as JSON, where they are read or where they are written.
// The schema, the decoder with its checks and the encoder are all made from it, so that they cannot disagree.
type Type struct {
	Kind Kind
	Typ  types.Type
	// written is the type as its source writes it, perhaps an alias.
	written types.Type
	// Elem is what a pointer, list or map holds.
	Elem *Type
	// Key is the kind of the keys of a map, and KeyType their type.
	Key     Kind
	KeyType types.Type
	// Members are those of a struct.
	Members []*Member
	// Values are the only ones of an enum, strings or json.Number; KeyValues those of its keys.
	Values, KeyValues []any
	// Late are the only values that a method of the type may make of what it reads, or the only bytes that base64 may
	// hold; nil for any. KeyLate says that KeyValues are such values.
	Late    []any
	KeyLate bool
	// Again says that values may hold others of this type.
	Again bool
	// open says that the description is not complete yet.
	open bool
}

// Member is one member of an object.
type Member struct {
	*tagrule.Field
	Rules *tagrule.Rules
	Value *Type
	// InQuotes says that the value stands in quotes.
	InQuotes bool
	// Required says that the member must be there, or always is.
	Required bool
	// Omits are the conditions under which it is not written.
	Omits []ir.OmitKind
	// Behind are the selectors of the embedded pointers on the way.
	Behind []string
}

// quotable reports whether the option string of a json tag puts values in quotes: those of basic types without
// methods of their own, and pointers to such.
func quotable(f *Type) bool {
	if f.Kind == Pointer && gotype.TypeName(f.Typ) == nil {
		f = f.Elem
	}
	return slices.Contains([]Kind{Bool, Int, Uint, Float, String, Enum, Numeral},
		f.Kind)
}

// TakesAnything reports whether nothing is known of the values of f, so that encoding/json reads and writes them.
func (f *Type) TakesAnything() bool {
	for f.Kind == Pointer {
		f = f.Elem
	}
	return (f.Kind == Any || f.Kind == Raw) && f.Late == nil
}

// Holds reports whether values of f have parts, perhaps behind pointers.
func (f *Type) Holds() bool {
	for f.Kind == Pointer {
		f = f.Elem
	}
	return f.Kind == Struct || f.Kind == Slice || f.Kind == Array || f.Kind == Map
}

// Kind is how encoding/json treats values of a Go type.
type Kind uint8

// The kinds of values.
const (
	Any       Kind = iota // an interface, or a type with its own JSON methods
	Raw                   // json.RawMessage
	Time                  // time.Time
	Text                  // read with UnmarshalText, written with MarshalText
	Numeral               // json.Number
	Enum                  // one of constants
	String                //
	Bool                  //
	Int                   //
	Uint                  //
	Float                 //
	Bytes                 // []byte, in base64
	Slice                 //
	Array                 //
	Map                   // keys are strings, integers or have text methods
	Pointer               //
	Struct                //
	Interface             // with methods: nothing can be read into it
	Mapped                // read and written by functions with a type directive
	None                  // no JSON form
)

// BasicKind is the kind of a basic type.
func BasicKind(info types.BasicInfo) Kind {
	switch {
	case info&types.IsString != 0:
		return String
	case info&types.IsBoolean != 0:
		return Bool
	case info&types.IsUnsigned != 0:
		return Uint
	case info&types.IsInteger != 0:
		return Int
	case info&types.IsFloat != 0:
		return Float
	}
	return None
}

// Mapping is a type that functions with a type directive read and write.
type Mapping struct {
	// Type is the type, and Base what it is as JSON: string, int64, float64 or bool.
	Type types.Type
	Base *types.Basic
	// Format and desc go into schemas; empty for none.
	Format, desc string
	// Parse reads values and Print writes them; nil for a direction that is not declared.
	Parse, Print *MapFunc
	// first is the function that declares it first.
	first *load.Decl
	// Reported says that the lack of one of them was reported.
	Reported bool
}

// MapFunc is one function of a mapping.
type MapFunc struct {
	Decl *load.Decl
	spec *directive.TypeOf
	// Fails says that a function that writes returns an error too.
	Fails bool
	// Used says that some value is read or written by it.
	Used bool
}
