package server

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func (op *toolOperation) Params() call.Params { return op.common.ToolParams() }

func (op *toolOperation) Replace(_ *call.Call, p call.Params) (err error) {
	op.args, err = op.common.ToolArguments(p)
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
	op.replied, op.result, err = pipeline.OfMiddleware(call, reply)
	return err
}

func (op *readOperation) Params() call.Params {
	return &protocol.ReadResourceRequestParams{URI: op.uri, Meta: op.common.Meta}
}

func (op *readOperation) Replace(_ *call.Call, p call.Params) error {
	_, err := pipeline.ParamsOf(p, func(q *protocol.ReadResourceRequestParams) bool {
		return q.URI == op.uri && q.Meta == op.common.Meta && q.InputResponses == nil && q.RequestState == nil
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
	r, err := pipeline.CopyOf[protocol.ReadResourceResult](reply)
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
	r.Contents, r.Meta = slices.Clone(r.Contents), pipeline.MetaWith(call.Request().Conn.Shared, r.Meta, call.Revision())
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
		Name: op.common.Target, Arguments: slices.Clone(op.given), Meta: op.common.Meta,
	}
}

func (op *promptOperation) Replace(c *call.Call, p call.Params) error {
	q, err := pipeline.ParamsOf(p, func(q *protocol.GetPromptRequestParams) bool {
		return q.Name == op.common.Target && q.Meta == op.common.Meta && q.InputResponses == nil && q.RequestState == nil
	})
	if err != nil || slices.Equal(q.Arguments, op.given) {
		return err
	}
	c.Vars = new(uri.Vars)
	return fillArguments(c.Vars, op.prompt.Entry.Arguments, q.Arguments)
}

func (op *promptOperation) Reply(call *call.Call) (protocol.Reply, error) {
	err := op.Conclude(call, nil)
	return &protocol.GetPromptResult{Description: op.result.Description, Messages: op.result.Messages}, err
}

func (op *promptOperation) Adopt(call *call.Call, reply protocol.Reply) (err error) {
	if op.replied, err = pipeline.CopyOf[protocol.GetPromptResult](reply); err != nil {
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
		r.Meta, r.Extra = pipeline.MetaWith(w.Conn.Shared, op.replied.Meta, w.Rev), op.replied.Extra
	}
	return r
}

func (op *completion) Params() call.Params {
	p := *op.asked
	return &p
}

func (op *completion) Replace(_ *call.Call, p call.Params) error {
	q, err := pipeline.ParamsOf(p, func(q *protocol.CompleteRequestParams) bool {
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
	r, err := pipeline.CopyOf[protocol.CompleteResult](reply)
	if err != nil {
		return err
	}
	if n := len(r.Completion.Values); n > maxCompletions {
		return fmt.Errorf("it has %d values, and may have %d", n, maxCompletions)
	}
	r.Meta = pipeline.MetaWith(call.Request().Conn.Shared, r.Meta, call.Revision())
	op.replied = r
	return nil
}

func (op *extensionOperation) Params() call.Params {
	return &protocol.RequestParams{Meta: op.common.Meta, Extra: slices.Clone(op.given)}
}

func (op *extensionOperation) Replace(_ *call.Call, p call.Params) error {
	q, err := pipeline.ParamsOf(p, func(q *protocol.RequestParams) bool { return q.Meta == op.common.Meta })
	if err == nil {
		op.common.Args = q.Extra.AppendJSON(nil)
		err = wire.CheckValue(op.common.Args)
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
