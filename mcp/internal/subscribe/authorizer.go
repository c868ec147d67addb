package subscribe

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// deliveryAuthorizer implements [pubsub.Authorizer]: it decides before each update of a guarded resource whether the
// subscriber may still receive it. If not, the subscription ends without a message: for the client the resource is
// gone, like everything that it may not see. One authorizer serves all subscriptions of a session or a listen to one
// declared resource.
type deliveryAuthorizer struct {
	c *session.Conn
	s *Subscriptions
	// who is the caller of the listen; nil in a legacy session, where the caller of the last request counts.
	who *call.HTTPExchange
	rev protocol.Revision
	of  *feature.Resource
}

// caller returns the caller whose rights count.
func (d *deliveryAuthorizer) caller() *call.Caller {
	if d.who != nil {
		return &d.who.Caller
	}
	return d.c.LastCaller()
}

// Authorize implements [pubsub.Authorizer].
func (d *deliveryAuthorizer) Authorize(uri string) pubsub.Decision {
	switch {
	case d.who == nil && d.c.Lapses():
		return pubsub.Postpone
	case failpoint.On("access-update-not-asked") || d.permits(uri, access.PolicyTimeout):
		return pubsub.Deliver
	}
	return pubsub.Revoke
}

// permits repeats the checks of the scopes and the policies. Policies are code of the user. If they take longer than
// limit, or the conn ends first, permits returns false.
func (d *deliveryAuthorizer) permits(uri string, limit time.Duration) bool {
	who := d.caller()
	if who == nil {
		who = session.Anonymous
	}
	if d.of.Guard.Scopes(who) != nil {
		return false
	}
	if !d.of.Guard.Asks() {
		return true
	}
	p, r := d.subject(uri)
	if r == nil {
		return false
	}
	return d.wait(p, limit, false, func() bool { return r.Guard.Policies(&p.Call, true, nil) == nil })
}
