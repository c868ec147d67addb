package ir

// Form is a struct that users fill in.
type Form struct {
	// Args is the struct with its decoder, and Schema its schema as clients see it, as JSON text.
	Args   *ArgStruct
	Schema string
}

// ArgStruct is a struct that is decoded from JSON by generated code.
type ArgStruct struct {
	// Type is the struct type, and Decode the generated function: decodeSearchIn.
	Type   *GoType
	Decode string
	Fields []ArgField
}

// ArgField is one member of an argument struct.
type ArgField struct {
	// GoName is the field, possibly of an embedded struct: Base.ID.
	GoName string
	// JSONName is the member.
	JSONName string
	Required bool
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
	ArgStruct_         // a struct with a generated decoder
	ArgSlice           // Elem
	ArgPointer         // Elem, null is nil
	ArgMap             // string keys, Elem
	ArgRaw             // json.RawMessage
	ArgTime            // time.Time: wire.Time
	ArgText            // a type with UnmarshalText: wire.Text[T]
	ArgJSON            // everything else, by encoding/json
)

// ArgValue is how one value of an argument struct is decoded.
type ArgValue struct {
	Kind ArgKind
	Type *GoType
	// Elem is the element of a slice, pointer or map.
	Elem *ArgValue
	// Struct is the decoder of a struct.
	Struct *ArgStruct
	// Values are the constants of an enum.
	Values []string
	// Checks are the conditions on the value.
	Checks []Check
}
