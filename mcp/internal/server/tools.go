package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
)

// ListTools implements protocol.ServerHandler.
func (h *handler) ListTools(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListToolsReply, error) {
	s := h.s
	if s.features.Capabilities.Tools == nil {
		return nil, feature.ErrNoMethod
	}
	return s.lists.ListTools(h.Worker, p.Cursor, h.canApps(p.Meta))
}

// CallTool implements protocol.ServerHandler.
func (h *handler) CallTool(_ context.Context, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error) {
	s := h.s
	if s.features.Capabilities.Tools == nil {
		return nil, feature.ErrNoMethod
	}
	h.About(p.Name)
	h.SentBy(p.Meta)
	tool := s.tool(p.Name, h.Rev)
	if tool == nil {
		return nil, pipeline.UnknownTool(p.Name)
	}
	if tool.Answer != nil {
		return tool.Answer(h, tool, p)
	}
	if s.tasks != nil {
		if reply, done, err := s.tasks.Call(&h.pipeline, tool, p); done {
			return reply, err
		}
	}
	op := &h.operations.call
	*op = toolOperation{h: h, tool: tool, spec: pipeline.Spec{
		Guard: tool.Guard, Target: p.Name, Named: true, Meta: p.Meta,
		Args: p.Arguments, Fresh: p.InputResponses, State: p.RequestState, Asks: tool.Asks,
	}}
	if op.spec.Args == nil {
		op.spec.Args = content.EmptyObject
	}
	op.args = op.spec.Args
	next, err := h.pipeline.Perform(op)
	switch {
	case err != nil:
		return nil, err
	case next != nil:
		return next, nil
	}
	reply := h.pipeline.ToolReply(&op.result, op.replied)
	if h.Call.Task() == nil { // the record of a task keeps the whole result
		h.pipeline.CutTool(reply)
	}
	return reply, nil
}

// toolOperation calls a tool.
type toolOperation struct {
	spec   pipeline.Spec
	h      *handler
	tool   *feature.Tool
	args   []byte // as middleware passes them on
	result content.ToolResult

	replied *protocol.CallToolResult // the result of middleware; nil if no middleware has made one
}

func (op *toolOperation) Spec() *pipeline.Spec { return &op.spec }

func (op *toolOperation) Reset() { *op = toolOperation{} }

func (op *toolOperation) Absent() error { return pipeline.UnknownTool(op.spec.Target) }

func (op *toolOperation) Run(call *call.Call) (err error) {
	op.result, err = op.tool.Call(call, op.args)
	if err == nil {
		err = call.Returned(op.result.Size())
	}
	return err
}

func (op *toolOperation) Conclude(call *call.Call, err error) error {
	if err == nil {
		err = op.result.Check()
	}
	if err != nil && err != engine.ErrNoRoom { //nolint:errorlint // the very error
		op.replied = nil
		op.result, err = op.h.pipeline.FailedTool(call, err)
	}
	return err
}

func (op *toolOperation) Params() call.Params { return op.spec.ToolParams() }

func (op *toolOperation) Replace(_ *call.Call, p call.Params) (err error) {
	op.args, err = op.spec.ToolArguments(p)
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
