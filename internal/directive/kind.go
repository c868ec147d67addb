package directive

func (*String) kind() string   { return "string" }
func (*Text) kind() string     { return "text" }
func (*Bool) kind() string     { return "bool" }
func (*Int) kind() string      { return "int" }
func (*Unit) kind() string     { return "unit-float" }
func (*Duration) kind() string { return "duration" }
func (*Time) kind() string     { return "time" }
func (*Bytes) kind() string    { return "bytes" }
func (*Rate) kind() string     { return "rate" }
func (*List) kind() string     { return "list" }
func (*Enum) kind() string     { return "enum" }
func (*Enums) kind() string    { return "list of enum" }
func (*URI) kind() string      { return "URI template" }
func (*URIs) kind() string     { return "list of URI template" }
func (*MIME) kind() string     { return "mime" }
func (*Sizes) kind() string    { return "list of icon size" }
func (*Range) kind() string    { return "version range" }
func (*Ref) kind() string      { return "reference" }
func (*Refs) kind() string     { return "list of reference" }
func (*Regexp) kind() string   { return "pattern" }
func (*Word) kind() string     { return "word" }
func (*Words) kind() string    { return "words" }
func (*Pairs) kind() string    { return "pairs" }

// repeats reports whether an option of this type may be written more than once.
func repeats(v any) bool {
	switch v.(type) {
	case *List, *Enums, *URIs, *Sizes, *Refs, *Words, *Pairs:
		return true
	}
	return false
}

// isPositional reports whether an option of this type is written without its name.
func isPositional(v any) bool {
	switch v.(type) {
	case *Word, *Words, *Pairs:
		return true
	}
	return false
}
