package ir

import (
	"slices"
)

// CalleeKind says how generated code reaches an annotated declaration.
type CalleeKind uint8

// The kinds of callees.
const (
	CalleeMethod CalleeKind = iota + 1
	CalleeFunc
	CalleeVar
	CalleeConst
	CalleeType // an annotated struct: Resource.Struct says how it is served
)

// Callee is an annotated declaration.
type Callee struct {
	Kind CalleeKind
	// Recv is the field of the Impl struct for a method, with the embedded fields that lead to the receiver.
	Recv string
	// Name is the Go name.
	Name string
	// File is the base name of its source, and Decl how comments call it: (*Notes).Note, Readme.
	File, Decl string
	// Params are the arguments after the context, in order.
	Params []Param
	// Type is the type of a variable or constant; nil for functions and methods.
	Type *GoType
}

// Takes reports whether c has an argument of a kind.
func (c *Callee) Takes(kind ParamKind) bool {
	return slices.ContainsFunc(c.Params, func(p Param) bool { return p.Kind == kind })
}

// ParamKind says where an argument comes from.
type ParamKind uint8

// The kinds of arguments.
const (
	ParamVar      ParamKind = iota + 1 // a template variable
	ParamPrefix                        // what the user has typed, in a completer
	ParamGiven                         // an earlier variable, in a completer
	ParamPage                          // mcp.Page, in a lister
	ParamArgs                          // the argument struct of a tool
	ParamArg                           // one argument of a tool
	ParamVarsOf                        // a struct whose fields are the template variables
	ParamCall                          // *mcp.Call
	ParamCaller                        // mcp.Caller
	ParamProgress                      // mcp.Progress
	ParamLogger                        // *slog.Logger
	ParamPeer                          // mcp.Peer
	ParamFile                          // fs.File, the file below the root
)

// Param is one argument of a callee.
type Param struct {
	Kind ParamKind
	// Var is the place of the variable in Resource.Vars for ParamVar and ParamGiven.
	Var int
	// Type is the type of the parameter.
	Type *GoType
	// Field is the field of the arguments of a tool for ParamArg.
	Field string
	// Fields are the fields of a ParamVarsOf struct that hold variables, in the order of the struct.
	Fields []VarField
}

// VarField is a field of a struct of variables; Var is the place in Resource.Vars.
type VarField struct {
	Name string
	Var  int
}

// Guard is a function whose signature the output relies on.
type Guard struct {
	// Expr is the function as a value: (*Notes).Note is Recv *Notes, Func Note.
	Recv *GoType
	Func string
	// Type is the signature, with the receiver as first parameter.
	Type *GoType
	// File is the base name of its source.
	File string
}
