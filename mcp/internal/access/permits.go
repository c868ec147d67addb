package access

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Permits returns nil if the caller of c may use what g guards, apart from limits. It may run policies. The error is a
// *[ForbiddenError], unless a policy could not be asked.
func (g *Guard) Permits(c *call.Call) error {
	who := c.Caller()
	if err := g.Scopes(&who); err != nil {
		return err
	}
	return g.Policies(c, false, nil)
}

// maxLate limits how many policies of a server may still run after PermitsWithout has given them up.
const maxLate = 1000

// PermitsWithout is Permits outside of a request, such as before a delivery of events. Policies get the values of ctx.
// If the policies take longer than [PolicyTimeout] together, or if ctx ends first, it returns an undecided
// [ForbiddenError]. While too many late policies still run, it returns that error without asking any.
func (g *Guard) PermitsWithout(ctx context.Context, conn *call.Conn, who *call.Caller, rev protocol.Revision) error {
	if err := g.Scopes(who); err != nil || !g.Asks() {
		return err
	}
	undecided := &ForbiddenError{Shown: g.Access.Shown, Undecided: true, Text: "the policy takes too long"}
	late := &conn.Shared.LatePolicies
	if late.Load() >= maxLate {
		return undecided
	}
	c := new(call.Call)
	x := &call.HTTPExchange{Peeks: true, Caller: *who} // on which nothing is written
	c.Init(call.Request{Conn: conn, Base: context.WithoutCancel(ctx), Responder: x}, rev, 0)
	defer c.End(context.Canceled)
	decided := make(chan error, 1)
	go func() {
		var result error = undecided
		defer func() { decided <- result }() // also after runtime.Goexit in a policy
		result = g.Policies(c, false, nil)
	}()
	t := time.NewTimer(PolicyTimeout)
	defer t.Stop()
	select {
	case err := <-decided:
		return err
	case <-ctx.Done():
	case <-t.C:
		conn.Log.Error("mcp: a policy takes too long: the caller has to wait", "after", PolicyTimeout)
	}
	late.Add(1)
	go func() {
		conn.Log.Debug("mcp: a policy has ended that nobody waits for", "err", <-decided)
		late.Add(-1)
	}()
	return undecided
}
