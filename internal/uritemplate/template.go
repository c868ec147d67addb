// Package uritemplate parses URI templates: the part of RFC 6570 that can be matched against URIs. It compares which of
// two templates is more specific, and whether a URI can match both. The generator uses it for diagnostics and for the
// decision tree of the router, the runtime for servers that mount others.
package uritemplate

// Template is a URI template cut into the segments between its slashes. The scheme is in Scheme; the authority, empty
// in notes:///{name}, is the first segment. A URI without "//" after its scheme is one segment.
type Template struct {
	Scheme string
	// Opaque says that no "//" follows the scheme.
	Opaque   bool
	Segments []Segment
	// Multi is the segment whose only part spans any number of segments; -1 for none.
	Multi int
	// Query are the variables of {?x,y} and {&x}.
	Query []QueryVar
	// MultiEmpty says that the segment Multi may also be empty, and comes last: the URI of a directory. Parse does not
	// set it, nor StrictQuery.
	MultiEmpty bool
	// StrictQuery refuses unknown parameters.
	StrictQuery bool
}

// Segment is a run of literals and variables between two slashes; no two variables touch.
type Segment []Part

// Part is a literal, still percent-encoded, or a variable.
type Part struct {
	// Lit is the literal text if Var is -1.
	Lit string
	// Var is the place among the variables, or -1.
	Var int
}

// QueryVar is a variable of the query.
type QueryVar struct {
	// Param is the name of the parameter.
	Param string
	// Var is the place among the variables.
	Var int
	// Explode says that each element of a list is a parameter of its own.
	Explode bool
}

// Op is the RFC 6570 operator of the expression that a variable stands in.
type Op byte

// The operators; OpNone is plain {x}.
const (
	OpNone     Op = 0
	OpReserved Op = '+'
	OpLabel    Op = '.'
	OpPath     Op = '/'
	OpParam    Op = ';'
	OpQuery    Op = '?'
	OpContinue Op = '&'
)

// InQuery reports whether the variables of the expression are parameters of the query.
func (op Op) InQuery() bool { return op == OpQuery || op == OpContinue }

// Var is one variable of a template.
type Var struct {
	Name string
	// Start and End are the bytes of its name in the template.
	Start, End int
	Op         Op
	// Explode is the * of {/x*} and {?x*}.
	Explode bool
	// Escape are unreserved characters that a value must not contain as they are, because they separate the variable
	// from what follows.
	Escape string
}

// Spans reports whether the variable takes any number of segments.
func (v *Var) Spans() bool { return v.Op == OpReserved || v.Op == OpPath && v.Explode }

// SpanText is the expression that spans segments with one variable.
func SpanText(name string, op Op) string {
	if op == OpPath {
		return "{/" + name + "*}"
	}
	return "{+" + name + "}"
}

// The most segments and variables of a template, which the runtime keeps in arrays.
const (
	MaxSegments = 16
	MaxVars     = 16
)
