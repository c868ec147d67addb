package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ListPrompts implements protocol.ServerHandler.
func (h *handler) ListPrompts(_ context.Context, p *protocol.PaginatedRequestParams) (protocol.ListPromptsReply,
	error) {
	s := h.s
	if s.features.Capabilities.Prompts == nil {
		return nil, feature.ErrNoMethod
	}
	return s.lists.ListPrompts(h.Worker, p.Cursor)
}

// GetPrompt implements protocol.ServerHandler.
func (h *handler) GetPrompt(_ context.Context, p *protocol.GetPromptRequestParams) (protocol.GetPromptReply, error) {
	s := h.s
	if s.features.Capabilities.Prompts == nil {
		return nil, feature.ErrNoMethod
	}
	h.About(p.Name)
	h.SentBy(p.Meta)
	prompt := s.registry.Prompt(p.Name, h.Rev)
	if prompt == nil {
		return nil, unknownPrompt(p.Name)
	}
	op := &h.operations.get
	*op = promptOperation{prompt: prompt, given: p.Arguments, spec: pipeline.Spec{
		Guard: prompt.Guard, Target: p.Name, Named: true, Meta: p.Meta, HasVar: true, Items: true,
		Invalid: fillArguments(&h.pipeline.Vars, prompt.Entry.Arguments, p.Arguments),
		Fresh:   p.InputResponses, State: p.RequestState, Asks: prompt.Asks,
	}}
	if prompt.Asks {
		op.spec.Args = wire.AppendMap(nil, p.Arguments, wire.AppendString)
	}
	next, err := h.pipeline.Perform(op)
	switch {
	case err != nil:
		return nil, promptError(h.Call, err)
	case next != nil:
		return next, nil
	}
	return h.promptReply(op), nil
}

// promptOperation gets a prompt.
type promptOperation struct {
	spec   pipeline.Spec
	prompt *feature.Prompt
	given  wire.Map[string] // the arguments
	result content.PromptResult

	replied *protocol.GetPromptResult // the result of middleware; nil if no middleware has made one
}

func (op *promptOperation) Spec() *pipeline.Spec { return &op.spec }

func (op *promptOperation) Reset() { *op = promptOperation{} }

func (op *promptOperation) Absent() error { return unknownPrompt(op.spec.Target) }

func (op *promptOperation) Run(call *call.Call) (err error) {
	op.result, err = op.prompt.Get(call)
	if err != nil {
		return err
	}
	return call.Returned(op.result.Size())
}

func (op *promptOperation) Conclude(_ *call.Call, err error) error {
	if err != nil {
		return err
	}
	if err := op.result.Check(); err != nil {
		return fmt.Errorf("prompt %s: %w", op.spec.Target, err)
	}
	if op.result.Description == "" {
		op.result.Description = op.prompt.Entry.Description
	}
	return nil
}

// unknownPrompt returns the error of the response for a prompt that does not exist.
func unknownPrompt(name string) *wire.Error {
	return content.InvalidParams("/name: unknown prompt %q", name)
}

// fillArguments sets v to the arguments of a prompt: variable i is that of declared[i]. It returns an error for an
// unknown argument, and for a required one that is missing. An optional argument with an empty text counts as left out,
// because clients with a form send a field left empty as an empty text.
func fillArguments(v *uri.Vars, declared []protocol.PromptArgument, given wire.Map[string]) error {
	v.ResetPlain()
	for i := range given {
		if !slices.ContainsFunc(declared, func(a protocol.PromptArgument) bool { return a.Name == given[i].Name }) {
			return badArgument(given[i].Name, "unknown argument")
		}
	}
	for i := range declared {
		a := &declared[i]
		text, ok := given.Get(a.Name)
		switch {
		case feature.IsTrue(a.Required) && !ok:
			return badArgument(a.Name, "is required")
		case ok && (text != "" || feature.IsTrue(a.Required)):
			v.Set(i, text)
		}
	}
	return nil
}

// badArgument returns the error of the response for a bad argument of a prompt.
func badArgument(name, reason string) *wire.Error {
	step := strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	return content.InvalidParams("/arguments/%s: %s", step, reason)
}

// promptError returns the error of the response if err says that an argument of the prompt could not be parsed. It
// returns any other err as it is.
func promptError(call *call.Call, err error) error {
	if call == nil {
		return err
	}
	bad, ok := errors.AsType[*uri.VarError](err)
	if ok && errors.Is(call.Vars.Err(), bad) {
		return badArgument(bad.Var, bad.Reason)
	}
	return err
}

func (op *promptOperation) Params() call.Params {
	return &protocol.GetPromptRequestParams{
		Name: op.spec.Target, Arguments: slices.Clone(op.given), Meta: op.spec.Meta,
	}
}

func (op *promptOperation) Replace(c *call.Call, p call.Params) error {
	q, err := pipeline.ParamsOf(p, func(q *protocol.GetPromptRequestParams) bool {
		return q.Name == op.spec.Target && q.Meta == op.spec.Meta && q.InputResponses == nil && q.RequestState == nil
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

// promptReply makes the result of the prompt that op has got.
func (h *handler) promptReply(op *promptOperation) *protocol.GetPromptResult {
	r := &protocol.GetPromptResult{
		Description: op.result.Description, Messages: op.result.Messages, Meta: h.s.host.ResultMeta(h.Rev),
	}
	if op.replied != nil {
		r.Meta, r.Extra = pipeline.MetaWith(h.Conn.Shared, op.replied.Meta, h.Rev), op.replied.Extra
	}
	return r
}
