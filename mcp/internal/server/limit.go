package server

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

// usage is what the calls of a feature have used so far.
type usage struct{ ratelimit.Limiter }

// keyOf is whose calls count together with call.
func (l *Limit) keyOf(c *call.Call) ratelimit.Key {
	subject := c.Principal()
	of := c.Request()
	switch {
	case l.By == Global:
		return ratelimit.Key{}
	case subject == "" && (of.Conn.Serial == 0 || l.By == ByUser && call.OriginOf(of.Responder) != [16]byte{}):
		// Sessions cost nothing: who opens many is one client.
		return ratelimit.Key{Addr: call.OriginOf(of.Responder)}
	case l.By == ByUser && subject != "" || of.Conn.Serial == 0:
		return ratelimit.Key{Subject: subject}
	}
	return ratelimit.Key{Conn: of.Conn.Serial}
}

// usages are what the calls of features have used so far, by the guards of those whose calls are counted. A value is
// never changed.
type usages map[*Guard]*usage

// newUsage returns what counts the calls of a feature from zero; nil if they are not counted.
func (g *Guard) newUsage() *usage {
	if !g.counts() {
		return nil
	}
	return new(usage)
}

// add makes u count the calls of what g guards, unless it is nil.
func (all usages) add(g *Guard, u *usage) {
	if u != nil {
		all[g] = u
	}
}

// usagesOf returns the usages of what f declares, at zero. A resource and its aliases have one, whose places are those
// of mains; so have a template and the tools that read it, because they have one guard.
func usagesOf(f *Features, mains []int) usages {
	all := make(usages)
	add := func(g *Guard) {
		if all[g] == nil {
			all.add(g, g.newUsage())
		}
	}
	for i, main := range mains {
		g, of := f.Resources[i].Guard, f.Resources[main].Guard
		add(of)
		if g.counts() && of.counts() {
			all[g] = all[of]
		}
		add(g)
	}
	f.all(func(_ kind, _ int, x feature) { add(x.guard) })
	if f.Extensions != nil {
		f.Extensions.features(func(x feature) { add(x.guard) })
	}
	return all
}

// countWith makes s, which is not in use yet, count the calls of the features of p together with p.
func (s *Server) countWith(p *Server) {
	maps.Copy(s.declaredUsages, *p.usages.Load())
	s.usages.Store(s.withAdded(s.tools.Load().list)) // which may be a copy already
}

// withAdded returns the usages of s with those of tools that were added.
func (s *Server) withAdded(list []addedTool) *usages {
	all := maps.Clone(s.declaredUsages)
	for _, t := range list {
		all.add(t.Guard, t.used)
	}
	return &all
}

// take counts a call. Its error is the response if the call may not be made; else the caller lets the usage go, by
// leave.
func (s *Server) take(g *Guard, c *call.Call) (*usage, error) {
	if !g.counts() {
		return nil, nil
	}
	l, used := &g.Limit, (*s.usages.Load())[g]
	if used == nil {
		return nil, nil // a tool that was removed a moment ago
	}
	run := c.Task()
	if l.Rate > 0 && run == nil { // a task was counted when it was created
		rate := shareOfRate(s, ratelimit.Rate{Calls: l.Rate, Burst: l.Burst, Per: l.Per})
		if wait := used.Take(l.keyOf(c), rate, time.Now()); wait > 0 {
			s.shared.Counts.Refused[labels.RefusedRate].Add(1)
			return nil, tooOften(c, wait)
		}
	}
	if !used.Enter(l.Concurrency) {
		if run != nil {
			run.Busy()
		}
		s.shared.Counts.Refused[labels.RefusedConcurrency].Add(1)
		text := fmt.Sprintf("too many calls at the same time, at most %d: try again later", l.Concurrency)
		return nil, call.LimitError(c, text, 0)
	}
	return used, nil
}

// leave ends a call that was counted. u is nil for one that was not.
func (u *usage) leave() {
	if u != nil {
		u.Leave()
	}
}

// tooOften refuses a call and says when the next one may be made.
func tooOften(c *call.Call, wait time.Duration) error {
	millis := (wait + time.Millisecond - 1).Milliseconds()
	text := strconv.FormatInt(millis, 10) + " ms"
	if wait > time.Second {
		text = strconv.FormatInt((millis+999)/1000, 10) + " s"
	}
	return call.LimitError(c, "called too often: try again in "+text, millis)
}
