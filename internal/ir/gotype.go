package ir

// GoKind is the form of a Go type.
type GoKind uint8

// The forms of Go types that can stand in a signature.
const (
	GoNamed GoKind = iota + 1 // Path.Name[Args…]; an empty Path is a predeclared type
	GoPointer
	GoSlice
	GoArray
	GoMap
	GoChan
	GoFunc
	GoStruct    // anonymous struct
	GoInterface // anonymous interface
)

// GoType is a Go type as source code can name it.
type GoType struct {
	Kind GoKind
	// Path is the import path; empty for predeclared types. The path of the package that is being
	// generated for stands here too.
	Path, Name string
	// PkgName is the name that the package at Path declares.
	PkgName string
	// Args are type arguments.
	Args []*GoType
	// Elem is the element of a pointer, slice, array, map or channel; Key that of a map.
	Elem, Key *GoType
	// Len is the length of an array.
	Len int64
	// Dir is 0 for a channel of both directions, 1 for send only, 2 for receive only.
	Dir int
	// Params and Results are those of a function.
	Params, Results []*GoType
	Variadic        bool
	// Fields are those of an anonymous struct, or the methods and embedded types of an anonymous interface.
	Fields []GoField
}

// GoField is a field of an anonymous struct, or a method of an anonymous interface. An embedded one has no name.
type GoField struct {
	Name string
	Type *GoType
	// Tag is the tag of a field without quotes.
	Tag string
}
