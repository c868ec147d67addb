package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// NeedsScopes is [feature.Features.NeedScopes] for what s offers.
func (s *Server) NeedsScopes() bool { return s.features.NeedScopes() }

// NeedsSubjects reports whether something that s offers is for callers with a subject only.
func NeedsSubjects(s *Server) bool { return s.extensions != nil && s.extensions.NeedSubjects() }

// Scopes is [feature.Features.Scopes] for what s offers.
func Scopes(s *Server) (all, hidden []string) { return s.features.Scopes() }

// itemCall is the call of a policy about one instance, made in the course of c. Nil if uri is not one of r.
func itemCall(c *call.Call, r *feature.Resource, uri string) *call.Call {
	p := new(call.PathCall)
	s := serverOf(c)
	if i := s.route(uri, &p.Values); i < 0 || &s.features.Resources[i] != r {
		return nil
	}
	p.Vars = &p.Values
	of := c.Request()
	p.Init(call.Request{Conn: of.Conn, Base: c.Own(), Responder: of.Responder, Target: uri}, c.Revision(), 0)
	return &p.Call
}

// sees reports whether the caller of c may know of the instance of r at uri. It has been asked about r itself.
func sees(c *call.Call, r *feature.Resource, uri string) bool {
	if r.Guard == nil || r.Guard.Access.ItemPolicies == nil || r.Guard.Access.Shown {
		return true
	}
	call := itemCall(c, r, uri)
	if call == nil {
		return false
	}
	defer call.End(context.Canceled)
	for _, p := range r.Guard.Access.ItemPolicies {
		if r.Guard.Ask(p, call, nil) != nil {
			return false
		}
	}
	return true
}

// mayList reports whether g lets the caller of c see what it guards in lists.
func mayList(c *call.Call, g *access.Guard) bool {
	if g == nil || g.Access.Shown {
		return true
	}
	who := c.Caller()
	return g.Scopes(&who) == nil && g.Policies(c, false, nil) == nil
}
