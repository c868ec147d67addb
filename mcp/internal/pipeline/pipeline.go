package pipeline

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Operation is the use of one feature by a request. Each kind of feature supplies what differs.
type Operation interface {
	call.Operation
	// Use returns what the sequence depends on. It is valid until the request ends.
	Use() *Use
	// Absent is the response to callers who must not know of the feature.
	Absent() error
	// Conclude makes the result out of what Run has kept, or out of its error. The error is the response.
	Conclude(call *call.Call, err error) error
	// Reset forgets all of it, so that it can be collected.
	Reset()
}

// Use is what the sequence depends on, for all kinds of features.
type Use struct {
	Guard *access.Guard // nil for everybody, and without bounds

	// What the call says of itself.
	Target string
	Named  bool // Target is a name and no URI
	HasVar bool // the variables are those in Pipeline.Vars
	Meta   *protocol.RequestMetaObject

	// Invalid says what is wrong with the request, nil if nothing is. Callers whom policies refuse do not learn it.
	Invalid error
	Items   bool // policies may look at the variables

	// What the client has answered so far, and what that is bound to.
	Args  []byte
	Fresh wire.Map[protocol.InputResponse]
	State *string

	Asks      bool // Run may ask the client something, or wait for something else, for long
	Completer bool // Run is a completer: it has no limits, and cannot ask the client
}

// Limits count calls.
type Limits interface {
	// Take counts a call of what g guards. Its error is the response if the call may not be made; else the caller calls
	// Leave, unless the limiter is nil.
	Take(g *access.Guard, c *call.Call) (*ratelimit.Limiter, error)
}

// Pipeline performs operations for the requests of a Worker, one after the other. It is used again and again, so that a
// request costs no memory for it.
type Pipeline struct {
	Worker *session.Worker
	Limits Limits
	Vars   uri.Vars // of the URI that was routed last

	timer     call.Timer
	tool      toolBuffer
	operation Operation // of the request at hand; nil if it has none
}

// Forget forgets the request at hand.
func (w *Pipeline) Forget() {
	w.tool.clear()
	if w.operation != nil {
		w.operation.Reset()
		w.operation = nil
	}
}

// Perform runs op for the request at hand: access, policies, answers of the client, limits and middleware, code of the
// user, questions to the client, result. next is what the client is asked before there is a result.
func (w *Pipeline) Perform(op Operation) (next *protocol.InputRequiredResult, err error) {
	u := op.Use()
	w.operation = op
	if u.Guard != nil {
		if err := u.Guard.Scopes(w.Worker.Caller()); err != nil {
			return nil, w.refuse(err, op.Absent())
		}
	}
	if u.Invalid != nil && !u.Guard.Asks() {
		return nil, u.Invalid
	}
	c, err := w.begin(u)
	if err != nil {
		return nil, err
	}
	if u.Guard.Asks() {
		if err := w.AskPolicies(c, u.Guard, u.Items && u.Invalid == nil, op.Absent()); err != nil {
			return nil, err
		}
	}
	if u.Invalid != nil {
		return nil, u.Invalid
	}
	if u.Completer {
		if err := w.Worker.EnterFor(false); err != nil {
			return nil, err
		}
		w.timer.Limit(c, call.ListTimeout)
		defer w.timer.Done()
		return nil, op.Conclude(c, u.Guard.Around(c, op))
	}
	if err := c.Resume(w.Worker.Method, u.Args, u.Fresh, u.State); err != nil {
		return nil, err
	}
	if err := w.Worker.EnterFor(u.Asks || u.Guard.Slow()); err != nil {
		return nil, err
	}
	if u.Guard == nil {
		err = op.Run(c)
	} else {
		err = w.within(c, u.Guard, op)
	}
	if next, invalid := c.Outcome(w.Worker.Method, u.Args); invalid != nil || next != nil {
		return next, invalid
	}
	return nil, op.Conclude(c, err)
}

// begin makes the call of u, and enters it into the table.
func (w *Pipeline) begin(u *Use) (call *call.Call, err error) {
	if u.HasVar {
		call, err = w.StartPath()
	} else {
		call, err = w.Worker.Start()
	}
	if err != nil {
		return nil, err
	}
	call.SetTarget(u.Target, u.Named, u.Meta)
	return call, nil
}

// StartPath is Start for an instance of a template; the variables are those routed last.
func (w *Pipeline) StartPath() (*call.Call, error) {
	p := &call.PathCall{Values: w.Vars}
	p.Vars = &p.Values
	return &p.Call, w.Worker.Register(&p.Call)
}

// within runs op, code of the user for call, within the limits and the middleware of g.
func (w *Pipeline) within(call *call.Call, g *access.Guard, op Operation) error {
	used, err := w.Limits.Take(g, call)
	if err != nil {
		return err
	}
	if used != nil {
		defer used.Leave()
	}
	if d := g.Limit.Timeout; d > 0 {
		w.timer.Limit(call, d)
		defer w.timer.Done()
	}
	w.Worker.MaxResult = g.Limit.Bytes
	return g.Around(call, op)
}
