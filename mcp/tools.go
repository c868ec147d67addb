package mcp

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newToolListing lists the tools.
func newToolListing(s *Server) listing {
	declared := make([]*protocol.Tool, len(s.features.Tools))
	for i := range declared {
		declared[i] = s.features.Tools[i].Entry
	}
	return newListing(s, pagesOfTools, declared, s.offersTool, "tools", func(rev protocol.Revision) []byte {
		r := protocol.ListToolsResult{Meta: s.resultMeta(rev)}
		return r.AppendJSON(nil, rev)
	})
}

// ListTools implements protocol.ServerHandler.
func (h *handler) ListTools(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListToolsReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Tools == nil {
		return nil, errNoMethod
	}
	return s.prepared.tools.page(p.Cursor, w.rev)
}

var (
	noArguments = []byte("{}")
	isError     = true // never changed
)

// CallTool implements protocol.ServerHandler.
func (h *handler) CallTool(_ context.Context, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error) {
	w, s := (*worker)(h), h.c.s
	if s.features.Capabilities.Tools == nil {
		return nil, errNoMethod
	}
	i := -1
	if s.features.RouteTool != nil {
		i = s.features.RouteTool(p.Name)
	}
	if i < 0 || !s.offersTool(i, w.rev) {
		return nil, invalid("/name: unknown tool %q", p.Name)
	}
	call, err := w.start()
	if err != nil {
		return nil, err
	}
	call.about, call.named, call.meta = p.Name, true, p.Meta
	args := []byte(p.Arguments)
	if args == nil {
		args = noArguments
	}
	tool := &s.features.Tools[i]
	w.enterFor(tool.Asks)
	r, err := tool.Call(call, args)
	if err != nil {
		if r, err = w.failedTool(call, err); err != nil {
			return nil, err
		}
	}
	return w.answer.toolResult(s, w.rev, &r), nil
}

// toolResult makes the result of a tool. It is valid until the next one is made.
func (a *answer) toolResult(s *Server, rev protocol.Revision, r *ToolResult) *protocol.CallToolResult {
	a.tool = protocol.CallToolResult{Content: r.Content, StructuredContent: r.Structured, Meta: s.resultMeta(rev)}
	if r.Content == nil && r.Structured != nil {
		a.said = protocol.TextContent{Text: textOf(r.Structured)}
		a.block[0] = &a.said
		a.tool.Content = a.block[:]
	}
	if r.IsError {
		a.tool.IsError = &isError
	}
	return &a.tool
}

// failedTool turns the error of a tool into a result that the model can read, except where the
// revision wants an error of the protocol.
func (w *worker) failedTool(call *Call, err error) (ToolResult, error) {
	if call.state.Load() != callRunning {
		return ToolResult{}, err // nobody will read it
	}
	var arguments *ArgumentsError
	if errors.As(err, &arguments) && w.rev < badArgumentsSince {
		return ToolResult{}, wire.NewError(wire.CodeInvalidParams, arguments.Error())
	}
	r := ToolText(w.toolErrorText(err))
	r.IsError = true
	return r, nil
}

// toolErrorText is what the model may know of an error.
func (w *worker) toolErrorText(err error) string {
	var (
		arguments *ArgumentsError
		variable  *VarError
		seen      *publicError
		coded     *wire.Error
	)
	switch {
	case errors.As(err, &seen):
		return err.Error()
	case errors.As(err, &arguments):
		return arguments.Error()
	case errors.As(err, &variable):
		return variable.Error()
	case errors.As(err, &coded):
		return coded.Message
	}
	return w.c.s.mask(err, string(w.method))
}
