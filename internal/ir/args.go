package ir

// Form is a struct that users fill in.
type Form struct {
	// Args is the struct with its decoder, and Schema its schema as clients see it, as JSON text.
	Args   *ArgStruct
	Schema string
}

// ArgStruct is a type that is decoded from JSON by a generated function: a struct, or a type that holds others of its
// own.
type ArgStruct struct {
	// Type is the type, and Decode the generated function: decodeSearchIn.
	Type   *GoType
	Decode string
	// File is the base name of the source that declares the type; empty for one of another package.
	File string
	// Fields are the members of a struct.
	Fields []ArgField
	// Value is how a type that is no struct is decoded; nil for a struct.
	Value *ArgValue
	// Declare is the struct that Type names if the output declares it; nil for types of the user.
	Declare *GoType
}

// ArgField is one member of an argument struct.
type ArgField struct {
	// GoName is the field, possibly of an embedded struct: Base.ID.
	GoName string
	// JSONName is the member.
	JSONName string
	Required bool
	// Behind are the selectors of the embedded pointers on the way, which the first member makes.
	Behind []string
	// Default are the texts of the value of a member that is left out: one, or those of the elements of a
	// list; nil for the zero value.
	Default []string
	// Nullable says that null is a value too: nil.
	Nullable bool
	Value    ArgValue
}

// ArgKind says how a value is decoded.
type ArgKind uint8

// The kinds of argument values.
const (
	ArgString  ArgKind = iota + 1
	ArgBool            //
	ArgInt             // any integer type: wire.Int[T]
	ArgFloat           // any float type: wire.Float[T]
	ArgEnum            // one of Values, a string type
	ArgStruct_         // by the function of Struct
	ArgObject          // a struct whose Fields are written out
	ArgSlice           // Elem
	ArgArray           // Elem, exactly Len of them
	ArgPointer         // Elem
	ArgMap             // Keys, Elem
	ArgRaw             // json.RawMessage
	ArgNumber          // json.Number
	ArgBytes           // base64
	ArgTime            // time.Time: wire.Time
	ArgText            // a type with UnmarshalText: wire.Text[T]; one of Values unless that is nil
	ArgJSON            // by encoding/json: what the schema says nothing about
	ArgMapped          // by the function Parse of the user, of a value of kind Base
)

// KeyKind says what the names of the members of a map are.
type KeyKind uint8

// The kinds of keys.
const (
	KeyString KeyKind = iota + 1 // a string type
	KeyInt                       // an integer type, in decimal
	KeyText                      // a type with text methods
)

// ArgKeys are the keys of a map.
type ArgKeys struct {
	Kind KeyKind
	// Type is the type of the keys; nil if generated code cannot write it.
	Type *GoType
	// Values are the only ones, in the form of Go; nil for no limit. Late says that a method makes them of the names, and
	// that they are integers.
	Values []string
	Late   bool
}

// ArgValue is how one value of an argument struct is decoded.
type ArgValue struct {
	Kind ArgKind
	Type *GoType
	// Hidden says that generated code cannot write Type, so that Go must infer it.
	Hidden bool
	// Elem is the element of a slice, array, pointer or map.
	Elem *ArgValue
	Len  int64
	Keys ArgKeys
	// Struct is the decoder of a type with a function.
	Struct *ArgStruct
	// Fields are the members of an ArgObject.
	Fields []ArgField
	// Values are the constants of an enum.
	Values []string
	// Quoted says that the value stands in quotes; Texts are then the only texts between them, nil for no limit.
	Quoted bool
	Texts  []string
	// Checks are the conditions on the value.
	Checks []Check
	// Base is ArgString, ArgInt, ArgFloat or ArgBool: what an ArgMapped is as JSON. Parse is the function that takes
	// such a value, and Refusal what is said of one that it does not take.
	Base           ArgKind
	Parse, Refusal string
}
