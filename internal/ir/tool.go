package ir

import "github.com/mcpgen/mcpgen/internal/diag"

// ListChanges reports whether the list that shows t may change while clients are served.
func (t *Tool) ListChanges() bool { return t.Toggle != "" || t.Reads != nil && t.Reads.Toggle != "" }

// NoInput reports whether the input schema of t is that of a tool that takes no arguments.
func (t *Tool) NoInput() bool {
	return t.InputSchema == `{"type":"object","properties":{},"additionalProperties":false}`
}

// Tool is one declared tool.
type Tool struct {
	Pos    diag.Pos
	Callee Callee
	// Name, Title and Description are what tools/list shows.
	Name, Title, Description string
	// ReadOnly, Destructive, Idempotent and OpenWorld are hints; nil for unsaid.
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
	Icons                                        []Icon
	Meta                                         []MetaEntry
	// InputSchema and OutputSchema are JSON text; OutputSchema is empty for none.
	InputSchema, OutputSchema string
	// Rules are what it asks of its callers; nil for nothing.
	Rules *Rules
	// Args is the argument struct; nil if the tool takes none.
	Args *ArgStruct
	// RawArgs says that the tool takes its arguments as JSON text, whose schema was given.
	RawArgs bool
	// Result says how the result becomes a tool result.
	Result ToolResultKind
	// Proto is the range of protocol revisions that offer it; Toggle the method that switches it on and
	// off, empty for none.
	Proto  Proto
	Toggle string
	// Tags are what a program chooses by.
	Tags []string
	// Encode writes a ToolStructured or a ToolWrapped; nil leaves that to encoding/json. OutPointer says that the result
	// is a pointer, which may be nil.
	Encode     *Encoder
	OutPointer bool
	// Task is "once" or "restart" if calls may be tasks, and TaskRequired says that they cannot be anything else.
	Task         string
	TaskRequired bool
	// App is the URI of the app that displays the results; "" for none.
	App string
	// OnlyApps says that the tool is for apps and not for models.
	OnlyApps bool
	// Touches are the resources that a successful call changes.
	Touches []Touch
	// Input and Output are the variables that hold the schemas: notesSearchInput and notesSearchOutput.
	Input, Output string
	// CallName is the generated function: callSearch.
	CallName string
	// Reads is the template that the tool reads, instead of calling something; nil for declared tools. CallName is then
	// the function that makes a URI of the arguments.
	Reads *Resource
}

// Touch is a resource that a tool changes.
type Touch struct {
	Resource *Resource
	// Args are the values of the variables, in the order of Resource.Vars.
	Args []TouchArg
}

// TouchArg is where the value of a variable comes from after a call.
type TouchArg struct {
	// From is "in" or "out", the struct; empty leaves the variable out of the URI.
	From string
	// Field is the selector of the field.
	Field string
	// Convert says that the field has another type with the same values.
	Convert bool
}

// ToolResultKind says how the result of a tool becomes a tool result.
type ToolResultKind uint8

// The kinds of tool results; the name of the runtime function follows.
const (
	ToolText       ToolResultKind = iota + 1 // string: mcprt.AsToolText
	ToolStructured                           // struct: mcprt.AsStructured
	ToolDone                                 // error alone: mcprt.AsDone
	ToolRaw                                  // mcp.ToolResult, as it is
	ToolBlock                                // mcp.Block: mcprt.AsBlock
	ToolBlocks                               // []mcp.Block: mcprt.AsBlocks
	ToolWrapped                              // number, boolean, time, list: mcprt.AsResult
)
