package ir

import "github.com/mcpgen/mcpgen/internal/uritemplate"

// VarKind says how a variable is written in a URI.
type VarKind uint8

// The kinds of variables, by Go type (annotation grammar, section 6.5).
const (
	VarString VarKind = iota + 1
	VarBool
	VarInt
	VarUint
	VarFloat
	VarEnum
	VarTime
	VarDuration
	VarText  // encoding.TextUnmarshaler
	VarSlice // of Elem
)

// Var is one variable of a template, bound to a parameter.
type Var struct {
	// Name is the name in the template, GoName the field of the reference type, Param the
	// parameter name in generated functions.
	Name, GoName, Param string
	Op                  uritemplate.Op
	// Explode is the * of {/x*} and {?x*}.
	Explode bool
	// Kind and Type are those of the value; Elem is the element of a slice.
	Kind VarKind
	Type *GoType
	Elem *Var
	// Pointer says that the parameter is a pointer, nil when the URI does not have the variable.
	Pointer bool
	// Bits is the size of a number; for VarEnum it is 0 for a string type, else that of the number.
	Bits int
	// Min, Max are bounds as Go literals, empty for none; MinLen, MaxLen -1 for none.
	Min, Max       string
	MinLen, MaxLen int
	// Pattern is what the whole of a text must match; nil for anything.
	Pattern *VarPattern
	// Values are the constants of an enum in declared order, as text in the URI.
	Values []string
	// Layout is the layout of a time; empty means RFC 3339.
	Layout string
	// Default is the text of the value when the URI does not have it; HasDefault tells "" from none.
	Default    string
	HasDefault bool
	// Required refuses a URI without the variable, which is one of the query.
	Required bool
	// Raw switches off screening for path elements.
	Raw bool
	// Escape are unreserved characters that the builder must encode, because they separate this
	// variable from what follows.
	Escape string
	// Desc is what the author says about it.
	Desc string
}

// RouteNode is a node of the decision tree over the templates of a server: a switch, or at a leaf
// the templates to try in order.
type RouteNode struct {
	On RouteOn
	// Seg is the segment that a RouteSegment switch looks at.
	Seg   int
	Cases []RouteCase
	// Default is taken when no case fits; nil means that nothing matches.
	Default *RouteNode
	// Try are the templates to try, most specific first.
	Try []RouteTry
}

// RouteTry is one template at a leaf, with what the switches above it have not settled yet.
type RouteTry struct {
	// Resource is the place in Server.Resources.
	Resource int
	// Segs are the segments to match, in order.
	Segs []int
	// MinCount is the least number of segments of a URI, 0 if the number is settled.
	MinCount int
}

// RouteOn says what a node switches on.
type RouteOn uint8

// What a node switches on.
const (
	RouteLeaf    RouteOn = iota // nothing: Try is set
	RouteScheme                 // Path.Scheme
	RouteCount                  // Path.N
	RouteSegment                // Path.Seg[Seg]
)

// RouteCase is one value of a switch; Count is used by RouteCount, Text by the others.
type RouteCase struct {
	Text  string
	Count int
	Node  *RouteNode
}
