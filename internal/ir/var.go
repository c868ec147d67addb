package ir

import "github.com/mcpgen/mcpgen/internal/uritemplate"

// VarPattern is a regular expression for a variable: its own variable in generated code, what the author wrote, and
// the same for whole texts.
type VarPattern struct{ Name, Expr, Whole string }

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

// Closed reports whether the type of the variable leaves only a few values.
func (v *Var) Closed() bool { return v.Kind == VarBool || v.Values != nil }

// Spans reports whether the variable, or the list that it is an element of, may stand for several segments of a path.
func (v *Var) Spans() bool {
	return v.Op == uritemplate.OpReserved || v.Op == uritemplate.OpPath && v.Explode
}

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
	// Values are the constants of an enum in declared order, as text in the URI; of a VarText, the texts that its method
	// may get, or if it is Late, the integers that it may return.
	Values []string
	Late   bool
	// Prints says that a VarText has MarshalText too.
	Prints bool
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
