package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Guard is what a feature asks of its callers. A feature without one is open to everybody and costs nothing
// to check. Each server counts the calls of its features; a joined server and its members count together.
type Guard struct {
	Access Access
	Limit  Limit
	// Use is what runs around each call, read or get, outermost first.
	Use []Middleware
}

// Access says who may use a feature: callers that have not expired, have all the scopes and a role, and are not
// refused by a policy. To others the feature does not exist: it is in no list, and to use it is the same error as to
// use what was never declared. It is checked again before every update of a subscription.
type Access struct {
	// Scopes must all be granted to the caller.
	Scopes []string
	// AnyScope are sets of scopes; one of each must be granted.
	AnyScope [][]string
	// AnyRole are sets of roles; the caller must have one of each.
	AnyRole [][]string
	// Policies decide by the caller alone. They are asked for lists too.
	Policies []Policy
	// ItemPolicies decide by the variables as well, which are in Call.Vars: of a template, or of a prompt.
	// They are asked where these are known, for each instance in a list too.
	ItemPolicies []Policy
	// Shown leaves the feature in the lists of everybody. To use it without the right to is an error that
	// says so.
	Shown bool
}

// Policy is a rule of the program. Any error refuses the caller, and so do a panic, which is logged, and an answer
// that takes longer than 5 seconds: c ends then. A policy is asked often, for a list once per entry, and should not
// wait for long.
type Policy func(c *Call) error

// PolicyOf adapts a rule that looks at the caller alone.
func PolicyOf(f func(context.Context, Caller) error) Policy {
	return func(c *Call) error { return f(c, c.Caller()) }
}

// forbiddenError refuses a caller. A hidden one is turned into the error of what does not exist.
type forbiddenError struct {
	shown bool
	text  string
}

func (e *forbiddenError) Error() string { return "forbidden: " + e.text }

// public is what clients are told about a feature that they know of.
func (e *forbiddenError) public() error {
	return wire.NewError(wire.CodeInternal, e.Error())
}

// refusal is the answer to a caller that err refuses. absent is that of what does not exist. Other errors
// are returned as they are.
func refusal(err error, absent error) error {
	e, ok := err.(*forbiddenError) //nolint:errorlint // made here, and never wrapped
	switch {
	case !ok:
		return err
	case e.shown:
		return e.public()
	}
	return absent
}

// restricted reports whether anybody could be refused.
func (a *Access) restricted() bool {
	return a.Scopes != nil || a.AnyScope != nil || a.AnyRole != nil || a.asks() || a.ItemPolicies != nil
}

// NeedsScopes reports whether a declared feature of s is for callers that have scopes or roles, so that a transport
// which knows of no callers offers it to nobody.
func (s *Server) NeedsScopes() (needs bool) {
	s.features.all(func(_ kind, _ int, x feature) {
		g := x.guard
		needs = needs || g != nil && (g.Access.Scopes != nil || g.Access.AnyScope != nil || g.Access.AnyRole != nil)
	})
	return needs
}

// asks reports whether the program decides about lists.
func (a *Access) asks() bool { return a.Policies != nil }

// expired reports whether c has to prove again who it is.
func (c *Caller) expired() bool { return !c.Expires.IsZero() && !time.Now().Before(c.Expires) }

// scopes checks what can be checked without the program: expiry, scopes and roles. Its error is a *forbiddenError, or nil.
func (g *Guard) scopes(who *Caller) error {
	if g == nil {
		return nil
	}
	a := &g.Access
	if who.expired() && a.restricted() {
		return &forbiddenError{a.Shown, "the caller has expired"}
	}
	for _, scope := range a.Scopes {
		if !slices.Contains(who.Scopes, scope) {
			return a.lacks("", a.Scopes, " and ")
		}
	}
	if err := a.oneOfEach("", a.AnyScope, who.Scopes); err != nil {
		return err
	}
	return a.oneOfEach("the role ", a.AnyRole, who.Roles)
}

// oneOfEach refuses a caller who does not have one word of each set.
func (a *Access) oneOfEach(what string, sets [][]string, granted []string) error {
	for _, set := range sets {
		if !overlap(set, granted) {
			return a.lacks(what, set, " or ")
		}
	}
	return nil
}

// lacks is the refusal of a caller who does not have what is needed.
func (a *Access) lacks(what string, set []string, glue string) error {
	return &forbiddenError{a.Shown, "it needs " + what + strings.Join(set, glue)}
}

// overlap reports whether one of set is granted.
func overlap(set, granted []string) bool {
	for _, word := range set {
		if slices.Contains(granted, word) {
			return true
		}
	}
	return false
}

// asks reports whether policies must be asked before anything else of the program runs.
func (g *Guard) asks() bool {
	return g != nil && (g.Access.Policies != nil || g.Access.ItemPolicies != nil)
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
var errPolicyLate = wire.NewError(wire.CodeInternal, "internal error: whether the caller may do this was not decided in time")

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
	c.conn.log.Error("mcp: a policy takes too long: the caller is refused", "target", c.about, "after", policyTimeout)
	c.preempt(context.DeadlineExceeded, func(more *callMore) {
		more.expired = true
		c.responder.RespondNow(wire.AppendError(nil, c.id, false, fault), fault.Code)
	})
}

// ask asks one policy. A variable that cannot be read is a mistake of the client, and told as such.
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
			log.Error("mcp: panic in policy", "panic", v, "stack", string(debug.Stack()))
			err = &forbiddenError{g.Access.Shown, "the policy failed"}
		}
	}()
	switch err := p(call); {
	case err == nil:
		return nil
	case call.Vars != nil && call.Vars.Err() == err: //nolint:errorlint // the very error
		return err
	default:
		log.Debug("mcp: refused by policy", "err", err)
		return &forbiddenError{g.Access.Shown, refusalText(err)}
	}
}

// refusalText is what clients may know of the error of a policy.
func refusalText(err error) string {
	if text, told := toldText(err); told {
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
		shown = (&forbiddenError{true, "the policy takes too long"}).public()
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
	if _, ok := err.(*forbiddenError); ok { //nolint:errorlint // made here, and never wrapped
		w.denied = true
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
	p.conn, p.base, p.responder, p.about, p.rev = c.conn, c, c.responder, uri, c.rev
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

// hidden reports whether some of n entries of a list are not for everybody to know of, and whether the program
// decides about that.
func hidden(n int, guard func(i int) *Guard) (asks, hides bool) {
	for i := range n {
		if g := guard(i); g != nil && !g.Access.Shown && g.Access.restricted() {
			asks, hides = asks || g.Access.asks(), true
		}
	}
	return asks, hides
}

// pageOf returns the page of l that begins at cursor, as the caller may see it.
func (w *worker) pageOf(l *listing, cursor *string) (*protocol.Prepared, error) {
	if l.guard == nil {
		return l.page(cursor, w.rev)
	}
	from, mark := 0, w.caller().mark()
	if cursor != nil && *cursor != "" {
		at, err := l.s.openCursor(l.kind, *cursor, mark)
		if err != nil {
			return nil, errCursor
		}
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
	page := l.join(from, w.rev, func(i int) bool { return call.lists(l.guard(i)) }, mark)
	return &page, nil
}

// mark tells callers apart by all that access depends on; "" for nobody in particular.
func (c *Caller) mark() string {
	if c.Subject == "" && c.Scopes == nil && c.Roles == nil {
		return ""
	}
	set := func(words []string) []string {
		words = slices.Clone(words)
		slices.Sort(words)
		return slices.Compact(words)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", c.Subject, set(c.Scopes), set(c.Roles)))
	return string(sum[:16])
}
