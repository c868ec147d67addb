package pipeline

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// Operation is the use of one feature by a request. Each kind of feature implements it.
type Operation interface {
	call.Operation
	// Spec returns the data of the operation for [Pipeline.Perform]. It is valid until the request ends.
	Spec() *Spec
	// Absent returns the error of the response to callers who must not know of the feature.
	Absent() error
	// Conclude completes the result that Run has stored. err is the error of Run. The error of Conclude is the error of
	// the response; nil if there is a result, which may tell of err.
	Conclude(call *call.Call, err error) error
	// Reset drops all references of the operation, so that their memory can be freed.
	Reset()
}

// Spec is the data of an operation that [Pipeline.Perform] needs.
type Spec struct {
	Guard *access.Guard // nil for a feature without access rules, limits and middleware

	// The fields of the request that the call needs.
	Target string
	Named  bool // Target is a name and no URI
	HasVar bool // the call gets the variables in Pipeline.Vars
	Meta   *protocol.RequestMetaObject

	// Invalid is the error of the response for an invalid request; nil for a valid one. Callers whom policies refuse do
	// not get it.
	Invalid error
	Items   bool // policies may look at the variables

	// The parameters of [call.Call.Resume]: Args has the arguments to which answers of the client are bound, Fresh and
	// State are from the request.
	Args  []byte
	Fresh json.RawMessage // the answers of this request, an object; nil for none
	State *string

	Asks      bool // Run may wait for long, for example for an answer of the client
	Completer bool // Run is a completer: it has no limits, and cannot ask the client
}

// Limits counts calls, so that the limits of features can be applied.
type Limits interface {
	// Take counts a call of a feature that g guards. If a limit is exceeded, it returns the error of the response.
	// Otherwise the caller must call Leave of the limiter when the call has ended, unless the limiter is nil.
	Take(g *access.Guard, c *call.Call) (*ratelimit.Limiter, error)
}

// Pipeline performs the operations of the requests of a Worker, one after the other. It is used again for each request,
// so that a request costs no allocation for a Pipeline.
type Pipeline struct {
	Worker *session.Worker
	Limits Limits
	Vars   uri.Vars // of the URI that was routed last

	timer     call.Timer
	tool      toolBuffer
	operation Operation // of the current request; nil for none
}

// Forget drops all references to the current request, when it has ended.
func (p *Pipeline) Forget() {
	p.tool.clear()
	if p.operation != nil {
		p.operation.Reset()
		p.operation = nil
	}
}

// Perform runs op for the current request. The steps are: access, policies, answers of the client, limits, middleware,
// code of the user, questions to the client, result. If the client must answer questions before there can be a result,
// next has them. The error is the error of the response.
func (p *Pipeline) Perform(op Operation) (next *protocol.InputRequiredResult, err error) {
	spec := op.Spec()
	p.operation = op
	if spec.Guard != nil {
		if err := spec.Guard.Scopes(p.Worker.Caller()); err != nil {
			return nil, p.refuse(err, op.Absent())
		}
	}
	if spec.Invalid != nil && !spec.Guard.Asks() {
		return nil, spec.Invalid
	}
	c, err := p.begin(spec)
	if err != nil {
		return nil, err
	}
	if spec.Guard.Asks() {
		if err := p.AskPolicies(c, spec.Guard, spec.Items && spec.Invalid == nil, op.Absent()); err != nil {
			return nil, err
		}
	}
	if spec.Invalid != nil {
		return nil, spec.Invalid
	}
	if spec.Completer {
		if err := p.Worker.EnterFor(false); err != nil {
			return nil, err
		}
		p.timer.Limit(c, call.ListTimeout)
		defer p.timer.Done()
		return nil, op.Conclude(c, spec.Guard.Around(c, op))
	}
	if err := c.Resume(p.Worker.Method, spec.Args, spec.Fresh, spec.State); err != nil {
		return nil, err
	}
	if err := p.Worker.EnterFor(spec.Asks || spec.Guard.Slow()); err != nil {
		return nil, err
	}
	if spec.Guard == nil {
		err = op.Run(c)
	} else {
		err = p.within(c, spec.Guard, op)
	}
	if next, invalid := c.Outcome(p.Worker.Method, spec.Args); invalid != nil || next != nil {
		return next, invalid
	}
	return nil, op.Conclude(c, err)
}

// begin makes the call of an operation, and registers it with the connection.
func (p *Pipeline) begin(spec *Spec) (call *call.Call, err error) {
	if spec.HasVar {
		call, err = p.StartPath()
	} else {
		call, err = p.Worker.Start()
	}
	if err != nil {
		return nil, err
	}
	call.SetTarget(spec.Target, spec.Named, spec.Meta)
	return call, nil
}

// StartPath is [session.Worker.Start] for an instance of a template. The call gets a copy of p.Vars.
func (p *Pipeline) StartPath() (*call.Call, error) {
	c := &call.PathCall{Values: p.Vars}
	c.Vars = &c.Values
	return &c.Call, p.Worker.Register(&c.Call)
}

// within runs op, which is code of the user, with the limits and the middleware of g.
func (p *Pipeline) within(call *call.Call, g *access.Guard, op Operation) error {
	used, err := p.Limits.Take(g, call)
	if err != nil {
		return err
	}
	if used != nil {
		defer used.Leave()
	}
	if d := g.Limit.Timeout; d > 0 {
		p.timer.Limit(call, d)
		defer p.timer.Done()
	}
	p.Worker.LimitResult(g.Limit.Bytes)
	return g.Around(call, op)
}
