package server

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// NeedsScopes reports whether a feature that s offers is for callers that have scopes or roles, so that a transport
// without authentication offers it to no caller.
func (s *Server) NeedsScopes() (needs bool) {
	look := func(x feature) {
		g := x.guard
		needs = needs || g != nil && !x.served.Off &&
			(g.Access.Scopes != nil || g.Access.AnyScope != nil || g.Access.AnyRole != nil)
	}
	s.features.all(func(_ kind, _ int, x feature) { look(x) })
	if s.features.Extensions != nil {
		s.features.Extensions.features(look)
	}
	return needs
}

// Scopes returns the scopes that declared features ask for, in order: all of them, and those without which a caller
// does not even learn that a feature exists. Of alternatives the latter has the first.
func Scopes(s *Server) (all, hidden []string) {
	look := func(x feature) {
		if x.guard == nil || x.served.Off {
			return
		}
		for _, set := range x.guard.Access.scopeSets() {
			all = append(all, set...)
			if !x.guard.Access.Shown && len(set) > 0 {
				hidden = append(hidden, set[0])
			}
		}
	}
	s.features.all(func(_ kind, _ int, x feature) { look(x) })
	if s.features.Extensions != nil {
		s.features.Extensions.features(look)
	}
	slices.Sort(all)
	slices.Sort(hidden)
	return slices.Compact(all), slices.Compact(hidden)
}

// policies asks the program. The variables of call count only if items is set. absent is the answer to the request of
// call if that takes too long; nil for an error that says nothing.
func (g *Guard) policies(call *Call, items bool, absent error) error {
	if g == nil {
		return nil
	}
	for _, p := range g.Access.Policies {
		if err := g.ask(p, call, absent); err != nil {
			return err
		}
	}
	if !items {
		return nil
	}
	for _, p := range g.Access.ItemPolicies {
		if err := g.ask(p, call, absent); err != nil {
			return err
		}
	}
	return nil
}

// policyTimeout is how long a policy may take.
const policyTimeout = 5 * time.Second

// errPolicyLate is the answer where no policy says who is refused what.
var errPolicyLate = wire.NewError(wire.CodeInternal,
	"internal error: whether the caller may do this was not decided in time")

// request is the call of the request that c was made for: c itself or, for a policy about one instance, the one that
// it was made in the course of. Nil if there is none, such as before an update.
func (c *Call) request() *Call {
	if parent, ok := c.base.(*Call); ok && c.id.IsZero() && parent.conn == c.conn {
		c = parent
	}
	if c.id.IsZero() {
		return nil
	}
	return c
}

// expirePolicy answers the call in place of a policy that takes too long.
func (c *Call) expirePolicy(absent error) {
	fault, ok := absent.(*wire.Error) //nolint:errorlint // made here, and never wrapped
	if !ok {
		fault = errPolicyLate
	}
	c.conn.log.Error("mcp: a policy takes too long: the caller is refused", "target", c.target, "after", policyTimeout)
	c.preempt(context.DeadlineExceeded, func(more *callExtra) int {
		more.expired = true
		c.respondNow(wire.AppendError(nil, c.id, false, fault), fault.Code)
		return fault.Code
	})
}

// ask calls one policy. A variable that cannot be parsed is reported as a mistake of the client.
func (g *Guard) ask(p Policy, call *Call, absent error) (err error) {
	log := call.conn.log
	if c := call.request(); c != nil {
		if c.state.Load() != callRunning {
			return engine.ErrEnded
		}
		defer time.AfterFunc(policyTimeout, func() { c.expirePolicy(absent) }).Stop()
	}
	defer func() {
		if v := recover(); v != nil {
			call.conn.s.counts.Panicked[stats.PanicPolicy].Add(1)
			log.Error("mcp: panic in policy", "panic", v, "stack", string(debug.Stack()))
			err = &forbiddenError{shown: g.Access.Shown, text: "the policy failed"}
		}
	}()
	switch err := p(call); {
	case err == nil:
		return nil
	case call.Vars != nil && call.Vars.Err() == err: //nolint:errorlint // the very error
		return err
	default:
		log.Debug("mcp: refused by policy", "err", err)
		return &forbiddenError{shown: g.Access.Shown, text: refusalText(err)}
	}
}

// refusalText is what clients may know of the error of a policy.
func refusalText(err error) string {
	if text, public := content.PublicText(err); public {
		return text
	}
	return "the policy says no"
}

// caller is who has sent the request at hand.
func (w *worker) caller() *Caller { return w.responder.sender() }

// admit checks the scopes of g. absent is the answer to who must not know of the feature.
func (w *worker) admit(g *Guard, absent error) error {
	if g == nil {
		return nil
	}
	return w.refuseWith(g.scopes(w.caller()), absent)
}

// askPolicies asks the policies of g; code of the user may run from here on.
func (w *worker) askPolicies(call *Call, g *Guard, items bool, absent error) error {
	if !g.asks() {
		return nil
	}
	w.enter()
	shown := absent
	if g.Access.Shown {
		shown = (&forbiddenError{text: "the policy takes too long"}).public()
	}
	if err := g.policies(call, items, shown); err != nil {
		return w.refuseWith(err, absent)
	}
	return call.live()
}

// refuseWith is refusal; it notes for the audit that the request was refused.
func (w *worker) refuseWith(err, absent error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*forbiddenError); ok { //nolint:errorlint // made here, and never wrapped
		w.denied = true
		if x, alone := w.responder.(*httpExchange); alone && e.shown && e.needs != nil {
			x.Forbid(x.caller.Scopes, e.needs)
		}
	}
	return refusal(err, absent)
}

// item is the call of a policy about one instance, made in the course of c. Nil if uri is not one of r.
func (c *Call) item(r *Resource, uri string) *Call {
	p := new(pathCall)
	s := c.conn.s
	if i := s.route(uri, &p.vars); i < 0 || &s.features.Resources[i] != r {
		return nil
	}
	p.Vars = &p.vars
	p.conn, p.base, p.responder, p.target, p.rev = c.conn, c.own(), c.responder, uri, c.rev
	return &p.Call
}

// sees reports whether the caller of c may know of the instance of r at uri. It has been asked about r itself.
func (c *Call) sees(r *Resource, uri string) bool {
	if r.Guard == nil || r.Guard.Access.ItemPolicies == nil || r.Guard.Access.Shown {
		return true
	}
	call := c.item(r, uri)
	if call == nil {
		return false
	}
	defer call.end(context.Canceled)
	for _, p := range r.Guard.Access.ItemPolicies {
		if r.Guard.ask(p, call, nil) != nil {
			return false
		}
	}
	return true
}

// lists reports whether the caller of c may know of what g guards.
func (c *Call) lists(g *Guard) bool {
	if g == nil || g.Access.Shown {
		return true
	}
	who := c.Caller()
	return g.scopes(&who) == nil && g.policies(c, false, nil) == nil
}

// pageOf returns the page of l that begins at cursor, as the caller may see it.
func (w pager) pageOf(l *staticList, cursor *string) (*protocol.Prepared, error) {
	if l.guard == nil {
		return l.page(cursor, w.rev)
	}
	return w.pageWithout(l, cursor, nil)
}

// pageWithout is pageOf that leaves out what hides reports; nil leaves out nothing.
func (w pager) pageWithout(l *staticList, cursor *string, hides func(i int) bool) (*protocol.Prepared, error) {
	from, accessHash := 0, ""
	if l.guard != nil {
		accessHash = w.caller().accessHash()
	}
	if cursor != nil && *cursor != "" {
		at, ok := l.s.cursors.Open(l.kind, *cursor, accessHash)
		if !ok {
			return nil, content.ErrCursor
		}
		var err error
		if from, err = l.resume(at); err != nil {
			return nil, err
		}
	}
	call, err := w.start()
	if err != nil {
		return nil, err
	}
	if l.asks {
		w.enter()
	}
	page := l.join(from, w.rev, func(i int) bool {
		return (hides == nil || !hides(i)) && (l.guard == nil || call.lists(l.guard(i)))
	}, accessHash)
	return &page, nil
}
