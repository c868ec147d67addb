package directive

import "fmt"

// The signatures of annotated functions and of those that directives name, for messages and for the reference.
const (
	ReadForm     = "func(ctx, variables…) (T, error)"
	ListForm     = "func(ctx) iter.Seq2[%[1]s, error] or func(ctx, mcp.Page) (mcp.List[%[1]s], error)"
	WatchForm    = "func(ctx, variables…) iter.Seq2[time.Time, error]"
	CompleteForm = "func(ctx, prefix string, earlier variables…) ([]string, error)"
	ToolForm     = "func(ctx, In) (Out, error) or func(ctx, In) error, where In is a struct with a field for each argument, or a parameter for each"
	RawToolForm  = "func(ctx, json.RawMessage) (Out, error) with schema=@FILE"
	PromptForm   = "func(ctx, arguments…) (string, error) or func(ctx, arguments…) ([]mcp.Message, error)"
	TypeForm     = "func(B) (T, error) to read and func(T) B or func(T) (B, error) to write, where B is string, int64, float64 or bool"
	PolicyForm   = "func(ctx, mcp.Caller, variables…) error"
)

// The result types that tools and prompts may have.
const (
	ToolResults   = "string, struct, map, number, bool, time.Time, slice, a type with MarshalText, mcp.Block, []mcp.Block, mcp.ToolResult"
	PromptResults = "string, mcp.Message, []mcp.Message, mcp.PromptResult"
)

// functions say for the reference what the function of a directive looks like.
var functions = map[string][]string{
	"resource": {ReadForm,
		"The variables are those of the template, by name and in any order. T is a string, []byte, an io.Reader, " +
			"what encoding/json takes, an encoding.TextMarshaler that is no struct, mcp.Content, []mcp.Content or iter.Seq2[mcp.Content, error]. " +
			"An error that is mcp.ErrNotFound or fs.ErrNotExist, and a nil pointer, mean that there is no such resource."},
	"tool": {ToolForm, "A tool with a schema of its own is " + RawToolForm + ". Out is one of: " + ToolResults + "."},
	"prompt": {PromptForm,
		"The parameters are the arguments of the prompt, required unless they are pointers or have a default. " +
			"Other results are mcp.Message and mcp.PromptResult."},
	"list": {fmt.Sprintf(ListForm, "NoteRef"),
		"NoteRef is generated for a resource Note and has a field for each variable."},
	"watch": {WatchForm, "It is called for the first subscriber of a URI and takes its first look then; the sequence runs until the last has gone. " +
		"Each time that it yields tells them of a change; an error that it yields goes to the log. One that ends earlier or panics is called again after two seconds, then after up to a minute, " +
		"and subscribers are told each time."},
	"complete": {CompleteForm,
		"The earlier variables are any others of the template or arguments of the prompt, by name, as strings: what the user has filled in " +
			"before, \"\" if nothing. Clients before 2025-06-18 cannot send them. The function filters by prefix itself; the first 100 values are sent."},
	"type": {TypeForm, "T is a type with a name, of any package. An error of the first refuses the arguments, at the place of the value; clients read its text if it is " +
		"mcp.Public. An error of the second fails the call."},
	"access": {PolicyForm,
		"This is the function that policy= names. The variables are those of the template that it needs, by name."},
	"use": {"func(c *mcp.Call, next func() error) error", "Each NAME is a method of the generated interface."},
}

// specials says for the reference which parameters get their values from the runtime.
const specials = "Besides what stands under Function, functions may take parameters of these types, anywhere after the context: `mcp.Caller` (who asks), " +
	"`mcp.Client` (asks the user or the model), `mcp.Progress`, `*slog.Logger` (messages to the client) and `*mcp.Call` (the request). Listers and completion functions take `mcp.Caller` only.\n"
