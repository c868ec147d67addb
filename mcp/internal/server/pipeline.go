package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// operation is the use of one feature by a request: the call of a tool, the read of a resource, the get of a prompt,
// the completion of an argument. Each kind of feature supplies what differs; [handler.perform] is the sequence that all
// have in common.
type operation interface {
	call.Operation
	// use returns what the sequence depends on. It is valid until the request ends.
	use() *use
	// absent is the response to callers who must not know of the feature.
	absent() error
	// conclude makes the result out of what Run has kept, or out of its error. The error is the response.
	conclude(call *call.Call, err error) error
	// reset forgets all of it, so that it can be collected.
	reset()
}

// use is what the sequence depends on, for all kinds of features.
type use struct {
	guard *access.Guard // nil for everybody, and without bounds

	// What the call says of itself.
	target string
	named  bool // about is a name and no URI
	hasVar bool // the variables are those in handler.vars
	meta   *protocol.RequestMetaObject

	// invalid says what is wrong with the request, nil if nothing is. Callers whom policies refuse do not learn it.
	invalid error
	items   bool // policies may look at the variables

	// What the client has answered so far, and what that is bound to.
	args  []byte
	fresh wire.Map[protocol.InputResponse]
	state *string

	asks      bool // run may ask the client something, or wait for something else, for long
	completer bool // run is a completer: it has no limits, and cannot ask the client
}

// perform runs op for the request at hand: access, policies, answers of the client, limits and middleware, code of the
// user, questions to the client, result. next is what the client is asked before there is a result.
func (w *handler) perform(op operation) (next *protocol.InputRequiredResult, err error) {
	u := op.use()
	w.operation = op
	if u.guard != nil {
		if err := u.guard.Scopes(w.Caller()); err != nil {
			return nil, w.refuseWith(err, op.absent())
		}
	}
	if u.invalid != nil && !u.guard.Asks() {
		return nil, u.invalid
	}
	c, err := w.begin(u)
	if err != nil {
		return nil, err
	}
	if u.guard.Asks() {
		if err := w.askPolicies(c, u.guard, u.items && u.invalid == nil, op.absent()); err != nil {
			return nil, err
		}
	}
	if u.invalid != nil {
		return nil, u.invalid
	}
	if u.completer {
		if err := w.EnterFor(false); err != nil {
			return nil, err
		}
		defer c.ExpireAfter(call.ListTimeout).Stop()
		return nil, op.conclude(c, u.guard.Around(c, op))
	}
	if err := c.Resume(w.Method, u.args, u.fresh, u.state); err != nil {
		return nil, err
	}
	if err := w.EnterFor(u.asks || u.guard.Slow()); err != nil {
		return nil, err
	}
	if u.guard == nil {
		err = op.Run(c)
	} else {
		err = w.within(c, u.guard, op)
	}
	if next, invalid := c.Outcome(w.Method, u.args); invalid != nil || next != nil {
		return next, invalid
	}
	return nil, op.conclude(c, err)
}

// begin makes the call of u, and enters it into the table.
func (w *handler) begin(u *use) (call *call.Call, err error) {
	if u.hasVar {
		call, err = w.startPath()
	} else {
		call, err = w.Start()
	}
	if err != nil {
		return nil, err
	}
	call.SetTarget(u.target, u.named, u.meta)
	return call, nil
}

// operations are the operations of one handler, kept so that a request costs no memory for its own. It has one at a
// time.
type operations struct {
	read     readOperation
	call     toolOperation
	get      promptOperation
	complete completion
}
