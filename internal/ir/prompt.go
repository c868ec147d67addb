package ir

import "github.com/mcpgen/mcpgen/internal/diag"

// Prompt is one declared prompt.
type Prompt struct {
	Pos    diag.Pos
	Callee Callee
	// Name, Title and Description are what prompts/list shows.
	Name, Title, Description string
	// Args are the arguments in the order of the parameters. Their Op is OpQuery if they may be left out.
	Args []*PromptArg
	// Rules are what it asks of its callers; nil for nothing.
	Rules *Rules
	// Result says how the result of the callee becomes messages.
	Result PromptResultKind
	Icons  []Icon
	Meta   []MetaEntry
	// Completers are at most one for each argument; Completer.Var is the place in Args.
	Completers []Completer
	// Proto is the range of protocol revisions that offer it; Toggle the method that switches it on and
	// off, empty for none.
	Proto  Proto
	Toggle string
	// Tags are what a program chooses by.
	Tags []string
	// GetName is the generated function, getReview, and ArgsName the function that reads the arguments,
	// reviewArgs.
	GetName, ArgsName string
}

// PromptArg is one argument of a prompt. It is a text on the wire and read like a template variable.
type PromptArg struct {
	*Var
	// Title is what people see.
	Title string
}

// Vars are the arguments as variables of a template that has no URI, for what both have in common.
func (p *Prompt) Vars() []*Var {
	var out []*Var
	for _, a := range p.Args {
		out = append(out, a.Var)
	}
	return out
}

// PromptResultKind says how the result of a prompt becomes messages.
type PromptResultKind uint8

// The kinds of prompt results; the name of the runtime function follows.
const (
	PromptText     PromptResultKind = iota + 1 // string: mcprt.AsPromptText
	PromptMessage                              // mcp.Message: mcprt.AsMessage
	PromptMessages                             // []mcp.Message: mcprt.AsMessages
	PromptRaw                                  // mcp.PromptResult, as it is
)

// ListChanges reports whether the list that shows p may change while clients are served.
func (p *Prompt) ListChanges() bool { return p.Toggle != "" }
