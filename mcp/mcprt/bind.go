package mcprt

// The functions of this file are not inlined. Otherwise the compiler would compile a closure for each feature, and not
// one for all.

// With binds handle to impl, whose methods it calls.
//
//go:noinline
func With[P, R any](impl P, handle func(P, *Call) (R, error)) func(*Call) (R, error) {
	return func(c *Call) (R, error) { return handle(impl, c) }
}

// WithArgs is [With] for the Call of a [Tool].
//
//go:noinline
func WithArgs[P any](
	impl P, call func(P, *Call, []byte) (ToolResult, error),
) func(*Call, []byte) (ToolResult, error) {
	return func(c *Call, args []byte) (ToolResult, error) { return call(impl, c, args) }
}

// WithoutArgs returns the Call of a [Tool] that takes no arguments: it refuses any.
//
//go:noinline
func WithoutArgs(call func(*Call) (ToolResult, error)) func(*Call, []byte) (ToolResult, error) {
	return func(c *Call, args []byte) (ToolResult, error) {
		if err := NoArguments(args); err != nil {
			return ToolResult{}, err
		}
		return call(c)
	}
}

// WithPrefix is [With] for the Values of a [Completer].
//
//go:noinline
func WithPrefix[P any](
	impl P, values func(P, *Call, string, CompletionContext) ([]string, error),
) func(*Call, string, CompletionContext) ([]string, error) {
	return func(c *Call, prefix string, given CompletionContext) ([]string, error) {
		return values(impl, c, prefix, given)
	}
}

// WithPolicy is [With] for a [Policy].
//
//go:noinline
func WithPolicy[P any](impl P, allow func(P, *Call) error) Policy {
	return func(c *Call) error { return allow(impl, c) }
}
