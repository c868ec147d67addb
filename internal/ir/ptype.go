package ir

// Kind is the kind of a Type.
type Kind uint8

// The kinds of types that a member of a message can have.
const (
	KindString Kind = iota
	KindBytes       // base64 text
	KindBool
	KindInt
	KindFloat
	KindID     // string or integer, kept as it stands
	KindError  // JSON-RPC error object
	KindAny    // any JSON value, kept as text
	KindObject // an object of unknown members, kept as text
	KindStruct
	KindEnum
	KindUnion
	KindList
	KindMap       // an object whose member names are data
	KindOneOrMany // a list of Elem that is written without brackets if it has one element
)

// Type is the type of a field. Name is the Go name of a struct, enum or union.
type Type struct {
	Kind Kind
	Name string
	Elem *Type
	Ptr  bool // nil stands for absent, or for null if Null is set
	Null bool // the JSON value may be null
	// NullIn has the revisions in which it may be null, 0 for all of the field.
	NullIn Revs
	Many   Revs // KindOneOrMany: revisions that know the list form
}

// Union is a value that is one of several structs.
type Union struct {
	Go       string
	Schema   string
	Doc      string
	Group    string
	Revs     Revs
	Marker   string // unexported method of its members
	Variants []*Variant
	By       []Decision // each revision of Revs is in one of them
}

// Variant is a member of a union.
type Variant struct {
	Struct    string // Go name
	Revs      Revs
	Downgrade *Downgrade // for revisions that do not have it; nil: written as it is
}

// Downgrade builds the struct To from the fields named in Copy, which both structs have, and with
// Field, if there is one, set to the concatenation of Parts.
type Downgrade struct {
	To    string // Go names
	Copy  []string
	Field string
	Parts []TextPart
}

// TextPart is a piece of text or the value of a field.
type TextPart struct {
	Text  string
	Field string
}

// Decision finds the variant of a JSON object in the revisions Revs. With a Tag, the string value of that member
// selects a Case; Absent holds for objects without the tag, and for all if there is no Tag.
type Decision struct {
	Revs   Revs
	Tag    string
	Cases  []Case
	Absent []Choice
}

// Case holds for the tag values Values.
type Case struct {
	Values  []string
	Choices []Choice
}

// Choice is how the revisions Revs choose. The Probes are tried in order; Variant is the rest, "" if there is none.
type Choice struct {
	Revs    Revs
	Probes  []Probe
	Variant string
}

// Probe selects Variant if the object has a member at Path. With a Value, the member must be equal to it.
type Probe struct {
	Path    []string
	Value   string // JSON text of a number or a boolean
	Variant string
}
