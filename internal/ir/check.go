package ir

// CheckKind says what a value is checked for after it was read.
type CheckKind uint8

// The kinds of checks.
const (
	CheckMin       CheckKind = iota + 1 // at least Text, a number
	CheckMax                            // at most Text
	CheckAbove                          // more than Text
	CheckBelow                          // less than Text
	CheckMultiple                       // a multiple of Text
	CheckMinLength                      // at least Text characters
	CheckMaxLength                      // at most Text characters
	CheckPattern                        // the regular expression Text matches; Name is its variable
	CheckFormat                         // of the format Text
	CheckMinItems                       // at least Text elements
	CheckMaxItems                       // at most Text elements
	CheckUnique                         // no two elements are equal
	CheckOneOf                          // one of Values
)

// Check is one condition on a value of an input.
type Check struct {
	Kind CheckKind
	// Text is a number, a pattern or a format.
	Text string
	// Name is the variable of a pattern.
	Name string
	// Values are texts, or numbers in the form of Go. Numbers tells which, where the kind of the value does not.
	Values  []string
	Numbers bool
}

// Pattern is a regular expression that generated code compiles when it first needs it.
type Pattern struct{ Name, Expr string }
