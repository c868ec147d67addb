package pipeline

import (
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Admit returns an error if the caller lacks a scope that g requires. The error is absent if the caller must not know
// of the feature. A nil g requires nothing.
func (p *Pipeline) Admit(g *access.Guard, absent error) error {
	if g == nil {
		return nil
	}
	return p.refuse(g.Scopes(p.Worker.Caller()), absent)
}

// AskPolicies asks the policies of g, which are code of the program. items says that they may look at the variables. If
// they refuse the call, it returns the error of the response, which is absent if the caller must not know of the
// feature. It also returns an error if the call has ended.
func (p *Pipeline) AskPolicies(call *call.Call, g *access.Guard, items bool, absent error) error {
	if !g.Asks() {
		return nil
	}
	p.Worker.Enter()
	shown := absent
	if g.Access.Shown {
		shown = (&access.ForbiddenError{Text: "the policy takes too long"}).Public()
	}
	if err := g.Policies(call, items, shown); err != nil {
		return p.refuse(err, absent)
	}
	return call.Live()
}

// refuse is [access.Refusal], and also tells the worker, for the audit record, that the caller lacks the rights. It
// returns nil if err is nil.
func (p *Pipeline) refuse(err, absent error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*access.ForbiddenError); ok { //nolint:errorlint // made here, and never wrapped
		p.Worker.Deny()
		if x, alone := p.Worker.Responder.(*call.HTTPExchange); alone && e.Shown && e.Needs != nil {
			x.Forbid(x.Caller.Scopes, e.Needs)
		}
	}
	return access.Refusal(err, absent)
}
