package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// toolParams returns the params of the call of a tool. What belongs to questions and tasks is the server's.
func (u *use) toolParams() Params {
	return &protocol.CallToolRequestParams{Name: u.target, Arguments: slices.Clone(u.args), Meta: u.meta}
}

// toolArguments returns the arguments that a middleware of a tool has passed on.
func (u *use) toolArguments(p Params) ([]byte, error) {
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
func ofMiddleware(call *Call, reply protocol.Reply) (*protocol.CallToolResult, content.ToolResult, error) {
	r, err := copyOf[protocol.CallToolResult](reply)
	if err != nil {
		return nil, content.ToolResult{}, err
	}
	result := content.ToolResult{Content: r.Content, Structured: r.StructuredContent, IsError: isTrue(r.IsError)}
	if result, err = content.CheckStructured(result, result.Check()); err == nil {
		err = call.returned(result.Size())
	}
	return r, result, err
}

func (op *toolOperation) params() Params { return op.common.toolParams() }

func (op *toolOperation) replace(_ *Call, p Params) (err error) {
	op.args, err = op.common.toolArguments(p)
	return err
}

func (op *toolOperation) reply(*Call) (protocol.Reply, error) {
	r := &protocol.CallToolResult{Content: op.result.Content, StructuredContent: op.result.Structured}
	if op.result.IsError {
		r.IsError = new(true)
	}
	return r, op.result.Check()
}

func (op *toolOperation) adopt(call *Call, reply protocol.Reply) (err error) {
	op.replied, op.result, err = ofMiddleware(call, reply)
	return err
}

// toolReply makes the result of a tool, which has members of that of its middleware. It is valid until the next one is
// made.
func (w *worker) toolReply(r *content.ToolResult, replied *protocol.CallToolResult) *protocol.CallToolResult {
	out := w.result.toolResult(w.c.s, w.rev, r)
	if replied != nil {
		out.Meta, out.Extra = metaWith(w.c.s, replied.Meta, w.rev), replied.Extra
	}
	return out
}

func (op *creation) params() Params { return op.common.toolParams() }

// replace lets the arguments be checked as the handler will get them. The record has those of the client, because the
// middleware runs around each run.
func (op *creation) replace(_ *Call, p Params) (err error) {
	op.checked, err = op.common.toolArguments(p)
	return err
}

//nolint:unparam // as other kinds
func (op *creation) reply(call *Call) (protocol.Reply, error) {
	return op.t.created(call.rev, op.record), nil
}

// adopt takes the new task, or a result in place of one.
func (op *creation) adopt(call *Call, reply protocol.Reply) (err error) {
	if _, created := reply.(protocol.Prepared); created && op.record != nil {
		return nil
	}
	op.replied, op.failed, err = ofMiddleware(call, reply)
	return err
}

func (op *readOperation) params() Params {
	return &protocol.ReadResourceRequestParams{URI: op.uri, Meta: op.common.meta}
}

func (op *readOperation) replace(_ *Call, p Params) error {
	_, err := paramsOf(p, func(q *protocol.ReadResourceRequestParams) bool {
		return q.URI == op.uri && q.Meta == op.common.meta && q.InputResponses == nil && q.RequestState == nil
	})
	return err
}

func (op *readOperation) reply(call *Call) (protocol.Reply, error) {
	if content.ValueOf(&op.contents).Kind == content.KindNone {
		return nil, content.NotFound(op.uri)
	}
	r := new(resultBuffer).contents(call.conn.s, call.rev, op.r, op.uri, op.contents)
	r.Meta = nil
	return r, nil
}

func (op *readOperation) adopt(call *Call, reply protocol.Reply) error {
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
	r.Contents, r.Meta = slices.Clone(r.Contents), metaWith(call.conn.s, r.Meta, call.rev)
	op.replied = r
	return call.returned(n)
}

// result makes the result of the read. It is valid until the next one is made.
func (op *readOperation) result(a *resultBuffer) *protocol.ReadResourceResult {
	if op.replied != nil {
		return op.replied
	}
	return a.contents(op.w.c.s, op.w.rev, op.r, op.uri, op.contents)
}

func (op *promptOperation) params() Params {
	return &protocol.GetPromptRequestParams{
		Name: op.common.target, Arguments: slices.Clone(op.given), Meta: op.common.meta,
	}
}

func (op *promptOperation) replace(c *Call, p Params) error {
	q, err := paramsOf(p, func(q *protocol.GetPromptRequestParams) bool {
		return q.Name == op.common.target && q.Meta == op.common.meta && q.InputResponses == nil && q.RequestState == nil
	})
	if err != nil || slices.Equal(q.Arguments, op.given) {
		return err
	}
	c.Vars = new(uri.Vars)
	return fillArguments(c.Vars, op.prompt.Entry.Arguments, q.Arguments)
}

func (op *promptOperation) reply(call *Call) (protocol.Reply, error) {
	err := op.conclude(call, nil)
	return &protocol.GetPromptResult{Description: op.result.Description, Messages: op.result.Messages}, err
}

func (op *promptOperation) adopt(call *Call, reply protocol.Reply) (err error) {
	if op.replied, err = copyOf[protocol.GetPromptResult](reply); err != nil {
		return err
	}
	op.result = content.PromptResult{Description: op.replied.Description, Messages: op.replied.Messages}
	return call.returned(op.result.Size())
}

// promptReply makes the result of a prompt.
func (w *worker) promptReply(op *promptOperation) *protocol.GetPromptResult {
	r := &protocol.GetPromptResult{
		Description: op.result.Description, Messages: op.result.Messages, Meta: w.c.s.resultMeta(w.rev),
	}
	if op.replied != nil {
		r.Meta, r.Extra = metaWith(w.c.s, op.replied.Meta, w.rev), op.replied.Extra
	}
	return r
}

func (op *completion) params() Params {
	p := *op.asked
	return &p
}

func (op *completion) replace(_ *Call, p Params) error {
	q, err := paramsOf(p, func(q *protocol.CompleteRequestParams) bool {
		return q.Ref == op.asked.Ref && q.Argument.Name == op.asked.Argument.Name && q.Meta == op.asked.Meta
	})
	if err == nil {
		op.prefix, op.context = q.Argument.Value, q.Context
	}
	return err
}

//nolint:unparam // as other kinds
func (op *completion) reply(*Call) (protocol.Reply, error) { return completionResult(op.values), nil }

func (op *completion) adopt(call *Call, reply protocol.Reply) error {
	r, err := copyOf[protocol.CompleteResult](reply)
	if err != nil {
		return err
	}
	if n := len(r.Completion.Values); n > maxCompletions {
		return fmt.Errorf("it has %d values, and may have %d", n, maxCompletions)
	}
	r.Meta = metaWith(call.conn.s, r.Meta, call.rev)
	op.replied = r
	return nil
}

func (op *extensionOperation) params() Params {
	return &protocol.RequestParams{Meta: op.common.meta, Extra: slices.Clone(op.given)}
}

func (op *extensionOperation) replace(_ *Call, p Params) error {
	q, err := paramsOf(p, func(q *protocol.RequestParams) bool { return q.Meta == op.common.meta })
	if err == nil {
		op.common.args = q.Extra.AppendJSON(nil)
		err = wire.CheckValue(op.common.args)
	}
	return err
}

//nolint:unparam // as other kinds
func (op *extensionOperation) reply(*Call) (protocol.Reply, error) {
	return protocol.Prepared(op.result), nil
}

func (op *extensionOperation) adopt(_ *Call, reply protocol.Reply) error {
	r, ok := reply.(protocol.Prepared)
	if !ok {
		return fmt.Errorf("want %T", r)
	}
	op.result = []byte(r)
	return wire.CheckValue(op.result)
}
