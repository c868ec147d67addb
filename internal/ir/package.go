package ir

// GoPackage is everything that mcpgen found out about one annotated Go package: what its mcp_gen.go
// is written from. Slices are in the order of the output; names of generated declarations have been
// computed and are free.
type GoPackage struct {
	// Path and Name are the import path and the package name.
	Path, Name string
	// Dir is the folder that mcp_gen.go goes to.
	Dir string
	// Sources are the base names of the files with directives, sorted.
	Sources []string
	// Declared are the identifiers that the user's files declare at package level, sorted: imports
	// of the output must not take them.
	Declared []string
	// Servers are the servers of the package, in source order.
	Servers []*Server
	// Forms are the structs that users fill in.
	Forms []*Form
	// Args are the structs that tools take, each once, with the structs they hold.
	Args []*ArgStruct
	// Encoders write the types that tools and resources return, each once, with the structs they hold.
	Encoders []*Encoder
	// Patterns are the regular expressions of the inputs, in the order of their first use.
	Patterns []Pattern
	// Guards are the annotated functions whose signatures the output relies on, in source order.
	Guards []Guard
	// Split says that what belongs to one of Sources is written to a file of its own.
	Split bool
}
