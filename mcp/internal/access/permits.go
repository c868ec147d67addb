package access

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Permits reports whether the caller of c may use what g guards, apart from limits. It may run policies. The error is a
// *[ForbiddenError], unless a policy is refused for another reason.
func (g *Guard) Permits(c *call.Call) error {
	who := c.Caller()
	if err := g.Scopes(&who); err != nil {
		return err
	}
	return g.Policies(c, false, nil)
}

// PermitsWithout is Permits for a caller who does not ask at the moment. Policies that take longer than
// [PolicyTimeout] refuse.
func (g *Guard) PermitsWithout(conn *call.Conn, who *call.Caller, rev protocol.Revision) error {
	if err := g.Scopes(who); err != nil || !g.Asks() {
		return err
	}
	c := new(call.Call)
	x := &call.HTTPExchange{Peeks: true, Caller: *who} // on which nothing is written
	c.Init(call.Request{Conn: conn, Base: context.Background(), Responder: x}, rev, 0)
	defer c.End(context.Canceled)
	var verdict error = &ForbiddenError{Shown: g.Access.Shown, Text: "the policy takes too long"}
	decided := make(chan error, 1)
	go func() {
		result := verdict
		defer func() { decided <- result }() // also if the goroutine is ended
		result = g.Policies(c, false, nil)
	}()
	t := time.NewTimer(PolicyTimeout)
	defer t.Stop()
	select {
	case verdict = <-decided:
	case <-t.C:
		conn.Log.Error("mcp: a policy takes too long: the caller is refused", "after", PolicyTimeout)
	}
	return verdict
}
