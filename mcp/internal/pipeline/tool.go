package pipeline

import (
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ToolParams returns the params of the call of a tool for middleware. They lack the fields for questions and tasks.
func (s *Spec) ToolParams() call.Params {
	return &protocol.CallToolRequestParams{Name: s.Target, Arguments: slices.Clone(s.Args), Meta: s.Meta}
}

// ToolArguments returns the arguments in p, the params that a middleware of a tool has passed on. It returns an error
// if they are no JSON object, or if the middleware has changed other params.
func (s *Spec) ToolArguments(p call.Params) ([]byte, error) {
	q, err := ParamsOf(p, func(q *protocol.CallToolRequestParams) bool {
		return q.Name == s.Target && q.Meta == s.Meta && q.InputResponses == nil && q.RequestState == nil && q.Task == nil
	})
	switch {
	case err != nil:
		return nil, err
	case q.Arguments == nil:
		return content.EmptyObject, nil
	case wire.KindOf(q.Arguments) != wire.KindObject:
		return nil, errors.New("arguments: want an object")
	}
	return q.Arguments, wire.CheckValue(q.Arguments)
}

// OfMiddleware checks reply, the result of the middleware of a tool. It returns a copy of reply, and the same result as
// a content.ToolResult.
func OfMiddleware(call *call.Call, reply protocol.Reply) (*protocol.CallToolResult, content.ToolResult, error) {
	r, err := CopyOf[protocol.CallToolResult](reply)
	if err != nil {
		return nil, content.ToolResult{}, err
	}
	result := content.ToolResult{Content: r.Content, Structured: r.StructuredContent, IsError: feature.IsTrue(r.IsError)}
	if result, err = content.CheckStructured(result, result.Check()); err == nil {
		err = call.Returned(result.Size())
	}
	return r, result, err
}

// UnknownTool returns the error of the response for a tool that does not exist.
func UnknownTool(name string) *wire.Error {
	return content.InvalidParams("/name: unknown tool %q", name)
}

// toolBuffer holds the result of a tool while it is encoded, so that it costs no allocation.
type toolBuffer struct {
	result         protocol.CallToolResult
	block          [1]protocol.ContentBlock
	structuredText protocol.TextContent
}

// clear drops the references to the last result, so that its memory can be freed.
func (a *toolBuffer) clear() {
	if a.result.Content != nil {
		*a = toolBuffer{}
	}
}

var isError = true // never changed

// ToolReply makes the reply from r, the result of a tool. If middleware has made the result, replied is the result of
// the middleware, and its metadata and further members are part of the reply. Otherwise replied is nil. The reply is
// valid until the next call of ToolReply.
func (p *Pipeline) ToolReply(r *content.ToolResult, replied *protocol.CallToolResult) *protocol.CallToolResult {
	a, shared := &p.tool, p.Worker.Conn.Shared
	out := &a.result
	*out = protocol.CallToolResult{
		Content: r.Content, StructuredContent: r.Structured, Meta: shared.ResultMeta(p.Worker.Rev),
	}
	if r.Content == nil && r.Structured != nil {
		a.structuredText = protocol.TextContent{Text: content.StringOf(r.Structured)} // encoded before r can change
		a.block[0] = &a.structuredText
		out.Content = a.block[:]
	}
	if r.IsError {
		out.IsError = &isError
	}
	if replied != nil {
		out.Meta, out.Extra = MetaWith(shared, replied.Meta, p.Worker.Rev), replied.Extra
	}
	return out
}

// ToolFailed reports whether the last reply of ToolReply has isError set.
func (p *Pipeline) ToolFailed() bool { return feature.IsTrue(p.tool.result.IsError) }

// FailedTool turns the error of a tool into a result that the model can read. It returns an error of the protocol where
// the revision requires one, and err itself if the call has ended.
func (p *Pipeline) FailedTool(c *call.Call, err error) (content.ToolResult, error) {
	if !c.Running() {
		return content.ToolResult{}, err // the result is not used
	}
	rev := p.Worker.Rev
	if run := c.Task(); run != nil {
		rev = run.Revision()
	}
	if missing := call.MissingCapability(err, rev); missing != nil {
		return content.ToolResult{}, missing
	}
	if arguments, ok := errors.AsType[*content.ArgumentsError](err); ok && p.Worker.Rev < era.BadArgumentsSince {
		return content.ToolResult{}, wire.NewError(wire.CodeInvalidParams, arguments.Error())
	}
	r := content.ToolText(p.toolErrorText(err))
	r.IsError = true
	return r, nil
}

// toolErrorText returns the text about err for the model. It logs err if the text is not the whole text of err.
func (p *Pipeline) toolErrorText(err error) string {
	if text, public := content.PublicText(err); public {
		p.Worker.Withheld(err)
		return text
	}
	if content.IsNotFound(err) {
		p.Worker.Withheld(err)
		return session.MissingText
	}
	return p.Worker.Mask(err)
}
