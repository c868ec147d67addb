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
	// Spec returns what [Pipeline.Perform] needs to know. It is valid until the request ends.
	Spec() *Spec
	// Absent is the response to callers who must not know of the feature.
	Absent() error
	// Conclude makes the result out of what Run has kept, or out of its error. The error is the response.
	Conclude(call *call.Call, err error) error
	// Reset forgets all of it, so that it can be collected.
	Reset()
}

// Spec is what [Pipeline.Perform] needs to know of an operation.
type Spec struct {
	Guard *access.Guard // nil for everybody, and without bounds

	// What the call gets to know of the request.
	Target string
	Named  bool // Target is a name and no URI
	HasVar bool // the variables are those in Pipeline.Vars
	Meta   *protocol.RequestMetaObject

	// Invalid says what is wrong with the request, nil if nothing is. Callers whom policies refuse do not learn it.
	Invalid error
	Items   bool // policies may look at the variables

	// What [call.Call.Resume] needs: the arguments that answers of the client are bound to, and the answers.
	Args  []byte
	Fresh json.RawMessage // the answers of this request, an object; nil for none
	State *string

	Asks      bool // Run may ask the client something, or wait for something else, for long
	Completer bool // Run is a completer: it has no limits, and cannot ask the client
}

// Limits count calls.
type Limits interface {
	// Take counts a call of what g guards. An error refuses the call, and is the response. Otherwise call Leave of the
	// limiter after the call, unless it is nil.
	Take(g *access.Guard, c *call.Call) (*ratelimit.Limiter, error)
}

// Pipeline performs the operations of the requests of a Worker, one after the other. It is reused, so that a request
// costs no allocation for it.
type Pipeline struct {
	Worker *session.Worker
	Limits Limits
	Vars   uri.Vars // of the URI that was routed last

	timer     call.Timer
	tool      toolBuffer
	operation Operation // of the request at hand; nil if it has none
}

// Forget forgets the current request.
func (p *Pipeline) Forget() {
	p.tool.clear()
	if p.operation != nil {
		p.operation.Reset()
		p.operation = nil
	}
}

// Perform runs op for the current request: access, policies, answers of the client, limits and middleware, code of the
// user, questions to the client, result. next is not nil if the client must answer questions before there can be a
// result.
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

// StartPath is [session.Worker.Start] for an instance of a template, with the variables that were routed last.
func (p *Pipeline) StartPath() (*call.Call, error) {
	c := &call.PathCall{Values: p.Vars}
	c.Vars = &c.Values
	return &c.Call, p.Worker.Register(&c.Call)
}

// within runs op, code of the user, within the limits and the middleware of g.
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
