package access

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Policies asks the policies of the program; if items is true, also the ItemPolicies. If a policy takes too long, the
// response to the request is the error absent or, if that is nil, an error that does not name a feature.
func (g *Guard) Policies(call *call.Call, items bool, absent error) error {
	if g == nil {
		return nil
	}
	for _, p := range g.Access.Policies {
		if err := g.Ask(p, call, absent); err != nil {
			return err
		}
	}
	if !items {
		return nil
	}
	for _, p := range g.Access.ItemPolicies {
		if err := g.Ask(p, call, absent); err != nil {
			return err
		}
	}
	return nil
}

// PolicyTimeout is how long a policy may take.
const PolicyTimeout = 5 * time.Second

// errPolicyLate is the response when a policy takes too long and expirePolicy gets no *wire.Error as absent.
var errPolicyLate = wire.NewError(wire.CodeInternal,
	"internal error: whether the caller may do this was not decided in time")

// expirePolicy responds to a call whose policy takes too long, and ends the call.
func expirePolicy(c *call.Call, absent error) {
	fault, ok := absent.(*wire.Error) //nolint:errorlint // made here, and never wrapped
	if !ok {
		fault = errPolicyLate
	}
	of := c.Request()
	of.Conn.Log.Error("mcp: a policy takes too long: the caller is refused", "target", of.Target, "after", PolicyTimeout)
	c.Preempt(context.DeadlineExceeded, fault, call.Refuse)
}

// Ask calls one policy. It returns nil, a *[ForbiddenError], the error of a variable in c.Vars that cannot be parsed,
// which is a mistake of the client, or engine.ErrEnded. absent is as for [Guard.Policies].
func (g *Guard) Ask(p Policy, c *call.Call, absent error) (err error) {
	log := c.Request().Conn.Log
	if c := c.Origin(); c != nil {
		if !c.Running() {
			return engine.ErrEnded
		}
		defer time.AfterFunc(PolicyTimeout, func() { expirePolicy(c, absent) }).Stop()
	}
	defer func() {
		if v := recover(); v != nil {
			c.Request().Conn.Shared.Counts.Panicked[labels.PanicPolicy].Add(1)
			log.Error("mcp: panic in policy", "panic", v, "stack", string(debug.Stack()))
			err = &ForbiddenError{Shown: g.Access.Shown, Undecided: true, Text: "the policy failed"}
		}
	}()
	switch err := p(c); {
	case err == nil:
		return nil
	case c.Vars != nil && c.Vars.Err() == err: //nolint:errorlint // the very error
		return err
	default:
		log.Debug("mcp: refused by policy", "err", err)
		late := errors.Is(err, context.DeadlineExceeded)
		return &ForbiddenError{Shown: g.Access.Shown, Undecided: late, Text: refusalText(err)}
	}
}

// refusalText returns the text of a policy's error that clients may see.
func refusalText(err error) string {
	if text, public := content.PublicText(err); public {
		return text
	}
	return "the policy says no"
}
