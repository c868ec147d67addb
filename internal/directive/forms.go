package directive

// The signatures of annotated functions and of those that directives name, for messages and for the reference.
const (
	ReadForm     = "func(ctx, variables…) (T, error)"
	ListForm     = "func(ctx) iter.Seq2[%[1]s, error] or func(ctx, mcp.Page) (mcp.List[%[1]s], error)"
	WatchForm    = "func(ctx, variables…) iter.Seq2[time.Time, error]"
	CompleteForm = "func(ctx, prefix string, earlier variables…) ([]string, error)"
	ToolForm     = "func(ctx, In) (Out, error) or func(ctx, In) error, where In is a struct with a field for each " +
		"argument, or a parameter for each"
	RawToolForm = "func(ctx, json.RawMessage) (Out, error) with schema=@FILE"
	PromptForm  = "func(ctx, arguments…) (string, error) or func(ctx, arguments…) ([]mcp.Message, error)"
	TypeForm    = "func(B) (T, error) to read and func(T) B or func(T) (B, error) to write, where B is string, int64, " +
		"float64 or bool"
	MethodForm       = "func(ctx, Params) (Result, error) or func(ctx, Params) error, where Params and Result are structs"
	NotificationForm = "func(ctx, Params) error, where Params is a struct"
	FilterForm       = "func(ctx, Params) ([]string, error), where Params is a struct"
	MatchForm        = "func(f F, e *E) bool, where F is the struct of the arguments and E that of the event"
	ShapeForm        = "func(who mcp.Caller, f F, e *E) E, where F is the struct of the arguments and E that of the event"
	ReplayForm       = "func(ctx, f F, cursor string, limit int) (mcp.EventPage[E], error)"
	PolicyForm       = "func(ctx, mcp.Caller, variables…) error"
)

// The result types that tools and prompts may have.
const (
	ToolResults = "string, struct, map, number, bool, time.Time, slice, a type with MarshalText, mcp.Block, " +
		"[]mcp.Block, mcp.ToolResult"
	PromptResults = "string, mcp.Message, []mcp.Message, mcp.PromptResult"
)
