package server

import (
	"fmt"
	"maps"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

// usagesOf returns new usages for the guards of f that have limits. A resource and its aliases share one usage. A
// template and the tools that read it also share one, because they share a guard.
func usagesOf(f *feature.Registry) access.Usages {
	all := make(access.Usages)
	add := func(g *access.Guard) {
		if g.Counts() && all[g] == nil {
			all.Add(g, g.NewUsage())
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

// countWith makes s share the usages of p, a member: a limit of a feature of p holds for the calls of both servers
// together. s must not be in use yet.
func (s *Server) countWith(p *Server) {
	maps.Copy(s.declaredUsages, *p.usages.Load())
	s.usages.Store(s.withAdded(s.tools.Load().list)) // again, because it may be a copy
}

// withAdded returns the declared usages of s together with those of the added tools in list.
func (s *Server) withAdded(list []addedTool) *access.Usages {
	all := maps.Clone(s.declaredUsages)
	for _, t := range list {
		all.Add(t.Guard, t.used)
	}
	return &all
}

// Take implements [pipeline.Limits].
func (s *Server) Take(g *access.Guard, c *call.Call) (*ratelimit.Limiter, error) {
	if !g.Counts() {
		return nil, nil
	}
	l, used := &g.Limit, (*s.usages.Load())[g]
	if used == nil {
		return nil, nil // the guard of a tool that was just removed
	}
	run := c.Task()
	if l.Rate > 0 && run == nil { // a task was counted when it was created
		rate := ratelimit.Rate{Calls: l.Rate, Burst: l.Burst, Per: l.Per}
		if s.opts.ShareRates {
			rate = s.linked.Share(rate)
		}
		if wait := used.Take(l.KeyOf(c), rate, time.Now()); wait > 0 {
			s.host.Counts.Refused[labels.RefusedRate].Add(1)
			return nil, access.TooOften(c, wait)
		}
	}
	if !used.Enter(l.Concurrency) {
		if run != nil {
			run.Busy()
		}
		s.host.Counts.Refused[labels.RefusedConcurrency].Add(1)
		text := fmt.Sprintf("too many calls at the same time, at most %d: try again later", l.Concurrency)
		return nil, call.LimitError(c, text, 0)
	}
	return used, nil
}

// Take counts a use of the feature that g guards, for the request of c, until leave is called. If a limit is exceeded,
// it returns the error of the response.
func Take(c *call.Call, g *access.Guard) (leave func(), err error) {
	used, err := serverOf(c).Take(g, c)
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
