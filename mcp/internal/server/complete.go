package server

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
)

// maxCompletions is the largest number of values that the protocol allows in one result.
const maxCompletions = 100

// Complete implements protocol.ServerHandler. It checks the capability that s has declared, and not that of the
// revision of the client, because the oldest revision has the method but no capability for it.
func (h *handler) Complete(_ context.Context, p *protocol.CompleteRequestParams) (protocol.CompleteReply, error) {
	s := h.s
	if s.features.Capabilities.Completions == nil {
		return nil, feature.ErrNoMethod
	}
	op := &h.operations.complete
	*op = completion{s: s, asked: p, prefix: p.Argument.Value, context: p.Context,
		spec: pipeline.Spec{Named: true, Completer: true}}
	var list []feature.Completer
	switch ref := p.Ref.(type) {
	case *protocol.ResourceTemplateReference:
		op.missing = content.InvalidParams("/ref/uri: unknown template %q", ref.URI)
		if op.r = s.registry.TemplateOf(ref.URI, h.Rev); op.r == nil {
			return nil, op.missing
		}
		op.spec.Guard, op.spec.Target, list = op.r.Guard, ref.URI, op.r.Complete
		if !slices.Contains(feature.Variables(ref.URI), p.Argument.Name) {
			op.spec.Invalid = content.InvalidParams("/argument/name: the template has no variable %q", p.Argument.Name)
		}
	case *protocol.PromptReference:
		op.missing = content.InvalidParams("/ref/name: unknown prompt %q", ref.Name)
		prompt := s.registry.Prompt(ref.Name, h.Rev)
		if prompt == nil {
			return nil, op.missing
		}
		op.spec.Guard, op.spec.Target, list = prompt.Guard, ref.Name, prompt.Complete
		if !prompt.Has(p.Argument.Name) {
			op.spec.Invalid = content.InvalidParams("/argument/name: the prompt has no argument %q", p.Argument.Name)
		}
	default:
		return nil, content.InvalidParams("/ref: has no known type")
	}
	for i := range list {
		if c := &list[i]; c.Var == p.Argument.Name {
			op.completer = c
			break
		}
	}
	if _, err := h.pipeline.Perform(op); err != nil {
		return nil, err
	}
	if op.replied != nil {
		return op.replied, nil
	}
	r := completionResult(op.values)
	r.Meta = s.host.ResultMeta(h.Rev)
	return r, nil
}

// completion completes a variable of a template or an argument of a prompt.
type completion struct {
	spec      pipeline.Spec
	s         *Server
	asked     *protocol.CompleteRequestParams
	missing   error
	r         *feature.Resource  // nil for a prompt
	completer *feature.Completer // nil if the variable or argument has none
	prefix    string
	context   *protocol.CompleteRequestParamsContext
	values    []string
	replied   *protocol.CompleteResult // the result of middleware; nil if no middleware has made one
}

func (op *completion) Spec() *pipeline.Spec { return &op.spec }

func (op *completion) Reset() { *op = completion{} }

func (op *completion) Absent() error { return op.missing }

func (op *completion) Run(call *call.Call) (err error) {
	if op.completer == nil {
		return nil
	}
	given := givenOf(op.context)
	if op.completer.Listed {
		op.values, err = op.s.registry.CompleteListed(call, op.r, op.completer.Var, op.prefix, given)
	} else {
		op.values, err = op.completer.Values(call, op.prefix, given)
	}
	return err
}

func (op *completion) Conclude(_ *call.Call, err error) error {
	if content.IsNotFound(err) { // nothing exists for the variables filled in so far
		op.values, err = nil, nil
	}
	return err
}

// givenOf returns the values of the variables that the client has already filled in; nil for none.
func givenOf(c *protocol.CompleteRequestParamsContext) feature.CompletionContext {
	if c == nil || len(c.Arguments) == 0 {
		return nil
	}
	g := make(feature.CompletionContext, len(c.Arguments))
	for _, a := range c.Arguments {
		g[a.Name] = a.Value
	}
	return g
}

// completionResult makes the result: the first maxCompletions of values, and the number of all.
func completionResult(values []string) *protocol.CompleteResult {
	r := new(protocol.CompleteResult)
	r.Completion.Total = new(int64(len(values)))
	r.Completion.HasMore = new(len(values) > maxCompletions)
	r.Completion.Values = values[:min(len(values), maxCompletions)]
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
