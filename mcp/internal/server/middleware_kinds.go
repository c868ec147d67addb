package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// toolParams returns the params of the call of a tool. What belongs to questions and tasks is the server's.
func (u *use) toolParams() call.Params {
	return &protocol.CallToolRequestParams{Name: u.target, Arguments: slices.Clone(u.args), Meta: u.meta}
}

// toolArguments returns the arguments that a middleware of a tool has passed on.
func (u *use) toolArguments(p call.Params) ([]byte, error) {
	q, err := paramsOf(p, func(q *protocol.CallToolRequestParams) bool {
		return q.Name == u.target && q.Meta == u.meta && q.InputResponses == nil && q.RequestState == nil && q.Task == nil
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

// ofMiddleware checks the result of a middleware of a tool, and returns it as one of a tool too.
func ofMiddleware(call *call.Call, reply protocol.Reply) (*protocol.CallToolResult, content.ToolResult, error) {
	r, err := copyOf[protocol.CallToolResult](reply)
	if err != nil {
		return nil, content.ToolResult{}, err
	}
	result := content.ToolResult{Content: r.Content, Structured: r.StructuredContent, IsError: feature.IsTrue(r.IsError)}
	if result, err = content.CheckStructured(result, result.Check()); err == nil {
		err = call.Returned(result.Size())
	}
	return r, result, err
}

func (op *toolOperation) Params() call.Params { return op.common.toolParams() }

func (op *toolOperation) Replace(_ *call.Call, p call.Params) (err error) {
	op.args, err = op.common.toolArguments(p)
	return err
}

func (op *toolOperation) Reply(*call.Call) (protocol.Reply, error) {
	r := &protocol.CallToolResult{Content: op.result.Content, StructuredContent: op.result.Structured}
	if op.result.IsError {
		r.IsError = new(true)
	}
	return r, op.result.Check()
}

func (op *toolOperation) Adopt(call *call.Call, reply protocol.Reply) (err error) {
	op.replied, op.result, err = ofMiddleware(call, reply)
	return err
}

// toolReply makes the result of a tool, which has members of that of its middleware. It is valid until the next one is
// made.
func (w *handler) toolReply(r *content.ToolResult, replied *protocol.CallToolResult) *protocol.CallToolResult {
	out := w.result.toolResult(w.s, w.Rev, r)
	if replied != nil {
		out.Meta, out.Extra = metaWith(w.s, replied.Meta, w.Rev), replied.Extra
	}
	return out
}

func (op *creation) Params() call.Params { return op.common.toolParams() }

// replace lets the arguments be checked as the handler will get them. The record has those of the client, because the
// middleware runs around each run.
func (op *creation) Replace(_ *call.Call, p call.Params) (err error) {
	op.checked, err = op.common.toolArguments(p)
	return err
}

func (op *creation) Reply(call *call.Call) (protocol.Reply, error) {
	return op.t.created(call.Revision(), op.record), nil
}

// adopt takes the new task, or a result in place of one.
func (op *creation) Adopt(call *call.Call, reply protocol.Reply) (err error) {
	if _, created := reply.(protocol.Prepared); created && op.record != nil {
		return nil
	}
	op.replied, op.failed, err = ofMiddleware(call, reply)
	return err
}

func (op *readOperation) Params() call.Params {
	return &protocol.ReadResourceRequestParams{URI: op.uri, Meta: op.common.meta}
}

func (op *readOperation) Replace(_ *call.Call, p call.Params) error {
	_, err := paramsOf(p, func(q *protocol.ReadResourceRequestParams) bool {
		return q.URI == op.uri && q.Meta == op.common.meta && q.InputResponses == nil && q.RequestState == nil
	})
	return err
}

func (op *readOperation) Reply(call *call.Call) (protocol.Reply, error) {
	if content.ValueOf(&op.contents).Kind == content.KindNone {
		return nil, content.NotFound(op.uri)
	}
	r := new(resultBuffer).contents(serverOf(call), call.Revision(), op.r, op.uri, op.contents)
	r.Meta = nil
	return r, nil
}

func (op *readOperation) Adopt(call *call.Call, reply protocol.Reply) error {
	r, err := copyOf[protocol.ReadResourceResult](reply)
	if err != nil {
		return err
	}
	n := 0
	for i, c := range r.Contents {
		if c == nil {
			return fmt.Errorf("content %d is nil", i)
		}
		n += content.SizeOfContent(c)
	}
	r.Contents, r.Meta = slices.Clone(r.Contents), metaWith(serverOf(call), r.Meta, call.Revision())
	op.replied = r
	return call.Returned(n)
}

// result makes the result of the read. It is valid until the next one is made.
func (op *readOperation) result(a *resultBuffer) *protocol.ReadResourceResult {
	if op.replied != nil {
		return op.replied
	}
	return a.contents(op.w.s, op.w.Rev, op.r, op.uri, op.contents)
}

func (op *promptOperation) Params() call.Params {
	return &protocol.GetPromptRequestParams{
		Name: op.common.target, Arguments: slices.Clone(op.given), Meta: op.common.meta,
	}
}

func (op *promptOperation) Replace(c *call.Call, p call.Params) error {
	q, err := paramsOf(p, func(q *protocol.GetPromptRequestParams) bool {
		return q.Name == op.common.target && q.Meta == op.common.meta && q.InputResponses == nil && q.RequestState == nil
	})
	if err != nil || slices.Equal(q.Arguments, op.given) {
		return err
	}
	c.Vars = new(uri.Vars)
	return fillArguments(c.Vars, op.prompt.Entry.Arguments, q.Arguments)
}

func (op *promptOperation) Reply(call *call.Call) (protocol.Reply, error) {
	err := op.conclude(call, nil)
	return &protocol.GetPromptResult{Description: op.result.Description, Messages: op.result.Messages}, err
}

func (op *promptOperation) Adopt(call *call.Call, reply protocol.Reply) (err error) {
	if op.replied, err = copyOf[protocol.GetPromptResult](reply); err != nil {
		return err
	}
	op.result = content.PromptResult{Description: op.replied.Description, Messages: op.replied.Messages}
	return call.Returned(op.result.Size())
}

// promptReply makes the result of a prompt.
func (w *handler) promptReply(op *promptOperation) *protocol.GetPromptResult {
	r := &protocol.GetPromptResult{
		Description: op.result.Description, Messages: op.result.Messages, Meta: w.s.host.ResultMeta(w.Rev),
	}
	if op.replied != nil {
		r.Meta, r.Extra = metaWith(w.s, op.replied.Meta, w.Rev), op.replied.Extra
	}
	return r
}

func (op *completion) Params() call.Params {
	p := *op.asked
	return &p
}

func (op *completion) Replace(_ *call.Call, p call.Params) error {
	q, err := paramsOf(p, func(q *protocol.CompleteRequestParams) bool {
		return q.Ref == op.asked.Ref && q.Argument.Name == op.asked.Argument.Name && q.Meta == op.asked.Meta
	})
	if err == nil {
		op.prefix, op.context = q.Argument.Value, q.Context
	}
	return err
}

func (op *completion) Reply(*call.Call) (protocol.Reply, error) {
	return completionResult(op.values), nil
}

func (op *completion) Adopt(call *call.Call, reply protocol.Reply) error {
	r, err := copyOf[protocol.CompleteResult](reply)
	if err != nil {
		return err
	}
	if n := len(r.Completion.Values); n > maxCompletions {
		return fmt.Errorf("it has %d values, and may have %d", n, maxCompletions)
	}
	r.Meta = metaWith(serverOf(call), r.Meta, call.Revision())
	op.replied = r
	return nil
}

func (op *extensionOperation) Params() call.Params {
	return &protocol.RequestParams{Meta: op.common.meta, Extra: slices.Clone(op.given)}
}

func (op *extensionOperation) Replace(_ *call.Call, p call.Params) error {
	q, err := paramsOf(p, func(q *protocol.RequestParams) bool { return q.Meta == op.common.meta })
	if err == nil {
		op.common.args = q.Extra.AppendJSON(nil)
		err = wire.CheckValue(op.common.args)
	}
	return err
}

func (op *extensionOperation) Reply(*call.Call) (protocol.Reply, error) {
	return protocol.Prepared(op.result), nil
}

func (op *extensionOperation) Adopt(_ *call.Call, reply protocol.Reply) error {
	r, ok := reply.(protocol.Prepared)
	if !ok {
		return fmt.Errorf("want %T", r)
	}
	op.result = []byte(r)
	return wire.CheckValue(op.result)
}

// errOnlyArguments is the error of a middleware that changes more of a request than it may.
var errOnlyArguments = errors.New("only arguments may be changed")

// paramsOf returns p as the type that the params of a request have. same reports whether they are still about that
// request.
func paramsOf[P call.Params](p call.Params, same func(P) bool) (P, error) {
	q, ok := p.(P)
	if !ok || content.IsNilPointer(q) {
		var none P
		return none, fmt.Errorf("want %T", none)
	}
	if !same(q) {
		return q, errOnlyArguments
	}
	return q, nil
}

// copyOf returns a copy of the result of a middleware, which may be kept and used for several requests.
func copyOf[R any, P interface {
	*R
	protocol.Reply
}](reply protocol.Reply) (P, error) {
	r, ok := reply.(P)
	if !ok || r == nil {
		return nil, fmt.Errorf("want %T", r)
	}
	out := *r
	return &out, nil
}

// metaWith returns the metadata of a result of a middleware with what all results of s have.
func metaWith(s *Server, meta *protocol.ResultMetaObject, rev protocol.Revision) *protocol.ResultMetaObject {
	common := s.host.ResultMeta(rev)
	if meta == nil || common == nil || meta.ServerInfo != nil {
		return orElse(meta, common)
	}
	out := *meta
	out.ServerInfo = common.ServerInfo
	return &out
}

// orElse returns p, or q if p is nil.
func orElse[T any](p, q *T) *T {
	if p == nil {
		return q
	}
	return p
}
