package ir

// Icon is one icon of a feature, as its directive says.
type Icon struct {
	Src, MIME string
	Sizes     []string
	Theme     string
}

// MetaEntry is one member of _meta; Value is JSON text.
type MetaEntry struct{ Key, Value string }

// Completer is one source of proposals for a variable.
type Completer struct {
	// Var is the place of the variable in those of its resource or prompt.
	Var int
	// Callee is the function; nil if Values are all there are.
	Callee *Callee
	// Values are the constants of an enum, or true and false. If Of is set, they are integers that its MarshalText writes.
	Values []string
	Of     *GoType
	// Listed says that the values are those of the listed instances.
	Listed bool
	// Name is the generated method.
	Name string
}

// Proto is a range of protocol revisions by date; an empty end is open. Off says that there is none: the
// feature is not part of this version of the server.
type Proto struct {
	From, To string
	Off      bool
}
