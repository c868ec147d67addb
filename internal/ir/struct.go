package ir

// StructKind says where the values of an annotated struct are kept.
type StructKind uint8

// The places of values.
const (
	StructHolder StructKind = iota + 1 // one value: mcp.Holder
	StructStore                        // one value per key: mcp.Store
	StructSource                       // elsewhere: a generated interface
)

// ResourceStruct says how values of an annotated struct become resources.
type ResourceStruct struct {
	Kind StructKind
	// Type is the struct, and Field the field of the Impl struct that gives its values.
	Type  *GoType
	Field string
	// Keys are the fields that hold the variables, in the order of Resource.Vars.
	Keys []string
	// Body is the field that is the content; nil if the content is the JSON of the struct.
	Body *ResourceField
	// Name, Title, Desc, MIME, Size, Modified, Priority and Audience are the fields that a list shows
	// of a value; nil for none.
	Name, Title, Desc, MIME, Size, Modified, Priority, Audience *ResourceField
	// Names are the generated identifiers.
	Names StructNames
}

// ResourceField is a field of an annotated struct; Name may lead through embedded structs: Base.ID.
type ResourceField struct {
	Name string
	Type *GoType
}

// StructNames are the identifiers generated for a struct Note. Keeper is NoteHolder, NoteStore or
// NoteSource, New is NewNoteHolder or NewNoteStore, Key is NoteKey, Watcher is NoteWatcher, Contents
// is noteContents. Those that the struct does not need are empty.
type StructNames struct {
	Keeper, New, Key, Watcher, Contents string
}
