package ir

// Encoder is a generated function that writes values of a type as JSON.
type Encoder struct {
	// Type is the type, and Name the function: encodeFound.
	Type *GoType
	Name string
	// File is the base name of the source that declares the type; empty for one of another package.
	File string
	// Recursive says that values may hold others of their own type.
	Recursive bool
	Value     EncValue
}

// EncKind says how a value is written.
type EncKind uint8

// The kinds of values.
const (
	EncString  EncKind = iota + 1
	EncBool            //
	EncInt             //
	EncUint            //
	EncFloat           //
	EncFloat32         //
	EncBytes           // base64
	EncTime            // time.Time
	EncText            // a type with MarshalText
	EncRaw             // json.RawMessage
	EncJSON            // by encoding/json: what the schema says nothing about, and json.Number
	EncPointer         // Elem, nil is null
	EncList            // Elem; a slice or an array
	EncMap             // Keys, Elem
	EncStruct          // Fields, written out
	EncCall            // a type with a generated encoder
	EncMapped          // by the function Format of the user, as a value of kind Base
)

// EncValue is how one value is written.
type EncValue struct {
	Kind EncKind
	// Plain says that the type is the basic type itself, a pointer without a name or a slice of byte, so that it
	// needs no conversion.
	Plain bool
	// Keys are what the keys of a map are.
	Keys KeyKind
	// Elem is what a pointer, list or map holds.
	Elem *EncValue
	// Encoder is the function of an EncCall.
	Encoder *Encoder
	// Fields are the members of a struct.
	Fields []EncField
	// Quoted says that numbers, booleans and strings stand in quotes.
	Quoted bool
	// Base is EncString, EncInt, EncFloat or EncBool: what an EncMapped is as JSON. Format is the function that makes
	// such a value, and Fails says that it returns an error too.
	Base   EncKind
	Format string
	Fails  bool
}

// EncField is one member of an object.
type EncField struct {
	// GoName is the selector of the field.
	GoName string
	// Name is the name of the member.
	Name string
	// Behind are the selectors of the embedded pointers on the way: nil leaves the member out.
	Behind []string
	// Omit are the conditions that leave the member out.
	Omit  []OmitKind
	Value EncValue
	// Type is the type of the field, for comparing it with its zero value.
	Type *GoType
}

// OmitKind is a condition that leaves a member out.
type OmitKind uint8

// The conditions.
const (
	OmitNil     OmitKind = iota + 1 // x == nil
	OmitEmpty                       // len(x) == 0
	OmitFalse                       // !x
	OmitZero                        // x == 0
	OmitText                        // x == ""
	OmitStruct                      // x == T{}
	OmitMethod                      // x.IsZero()
	OmitOther                       // wire.IsZero(&x)
	OmitPointer                     // x == nil || x.IsZero()
)
