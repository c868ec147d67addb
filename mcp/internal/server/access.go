package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

// usagesOf returns new counters for the guards of f that have limits. A resource and its aliases share one counter. A
// template and the tools that read it also share one, because they share a guard.
func usagesOf(f *feature.Registry) map[*access.Guard]*ratelimit.Limiter {
	all := make(map[*access.Guard]*ratelimit.Limiter)
	add := func(g *access.Guard) {
		if g.Counts() && all[g] == nil {
			all[g] = g.NewUsage()
		}
	}
	for i := range f.Resources {
		g, of := f.Resources[i].Guard, f.Resources[f.Canonical(i)].Guard
		add(of)
		if g.Counts() && of.Counts() {
			all[g] = all[of]
		}
		add(g)
	}
	f.All(func(_ feature.Kind, _ int, x feature.Feature) { add(x.Guard) })
	if f.Extensions != nil {
		f.Extensions.Features(func(x feature.Feature) { add(x.Guard) })
	}
	return all
}

// Take counts a use of the feature that g guards, for the request of c, until leave is called. If a limit is exceeded,
// it returns the error of the response.
func Take(c *call.Call, g *access.Guard) (leave func(), err error) {
	used, err := serverOf(c).usages.Take(g, c)
	if used == nil {
		return func() {}, err
	}
	return used.Leave, nil
}

// RememberStates makes s accept each request state only once, on all replicas together, unless the client has to be
// asked again. The replicas share store, which remembers the used states. Only the first call for a server has an
// effect.
func RememberStates(s *Server, store access.StateStore) {
	use := access.UseOnce(store) // called only here, so that programs without a store do not link it
	s.host.UseState.CompareAndSwap(nil, &use)
}

// NeedsScopes is [feature.Features.NeedScopes] for the features of s.
func (s *Server) NeedsScopes() bool { return s.features.NeedScopes() }

// NeedsSubjects reports whether an extension of s serves only callers with a subject.
func NeedsSubjects(s *Server) bool { return s.extensions != nil && s.extensions.NeedSubjects() }

// Scopes is [feature.Features.Scopes] for the features of s.
func Scopes(s *Server) (all, hidden []string) { return s.features.Scopes() }
