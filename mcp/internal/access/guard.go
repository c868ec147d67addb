package access

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Guard is what a feature asks of its callers. A nil guard lets everybody in, and costs nothing to check. Each server
// counts the calls of its features; a joined server and its members count together.
type Guard struct {
	Access Access
	Limit  Limit
	// Use is the middleware of the feature; nil means none.
	Use call.Use
}

// Access says who may use a feature: callers that have not expired, have the scopes and the roles below, and are not
// refused by a policy. To others the feature does not exist: it is in no list, and using it gives the error of a
// feature that was never declared. It is checked again before every update of a subscription.
type Access struct {
	// Scopes are scopes that the caller must have, all of them.
	Scopes []string
	// AnyScope are sets of scopes; the caller must have one scope of each set.
	AnyScope [][]string
	// AnyRole are sets of roles; the caller must have one role of each set.
	AnyRole [][]string
	// Policies decide by the caller alone. They are asked for lists too.
	Policies []Policy
	// ItemPolicies also look at Call.Vars, the variables of a template or the arguments of a prompt. They are asked where
	// these are known, so also for each instance in a list.
	ItemPolicies []Policy
	// Shown keeps the feature in the lists of everybody. Callers without the right to use it get an error that says so.
	Shown bool
}

// Policy is a rule of the program. Any error refuses the caller. So does a panic, which is logged, and so does an
// answer that takes longer than 5 seconds: c is then done. A subscription to events does not end after a panic, a late
// answer or context.DeadlineExceeded: it waits. A policy is asked often, for a list once per entry, and should not wait
// for long.
type Policy func(c *call.Call) error

// PolicyOf adapts a rule that looks at the caller alone.
func PolicyOf(f func(context.Context, call.Caller) error) Policy {
	return func(c *call.Call) error { return f(c, c.Caller()) }
}

// Limit bounds what calls of a feature may cost. The zero value bounds nothing.
type Limit struct {
	// Timeout is the longest duration of a call. When it is over, the context of the call ends and the response is an
	// error, even if the handler goes on. 0 means no limit.
	Timeout time.Duration
	// Rate is how many calls are allowed in the period Per, and Burst how many of them at once; a Burst of 0 means Rate.
	// By says which calls count together. Further calls are refused with the time to wait. A Rate of 0 means no limit.
	Rate  int
	Per   time.Duration
	Burst int
	By    RateLimitKey
	// Concurrency is how many calls may run at the same time; further calls are refused. 0 means no limit.
	Concurrency int
	// Bytes is the largest size of a result as JSON; 0 means no limit.
	Bytes int64
}

// RateLimitKey selects which calls count together for a rate. Its values, and what they mean, are those of package mcp.
type RateLimitKey uint8

// The values of RateLimitKey.
const (
	ByUser RateLimitKey = iota
	ByClient
	Global
)

// ForbiddenError refuses a caller. Unless it is Shown, [Refusal] turns it into the error of a feature that does not
// exist.
type ForbiddenError struct {
	Shown bool
	Text  string
	Needs [][]string // scopes, one of each set, if they are what the caller lacks; else nil
	// Undecided says that a policy has failed or was too late, and may permit the same a little later. A subscription of
	// the caller goes on meanwhile.
	Undecided bool
}

func (e *ForbiddenError) Error() string { return "forbidden: " + e.Text }

// Public is the error for clients that may know of the feature.
func (e *ForbiddenError) Public() error {
	return wire.NewError(wire.CodeInternal, e.Error())
}

// Refusal turns a *[ForbiddenError] into the response to the caller: absent, the error of a feature that does not
// exist, unless everybody may know of the feature. Other errors are returned as they are.
func Refusal(err error, absent error) error {
	e, ok := err.(*ForbiddenError) //nolint:errorlint // made here, and never wrapped
	switch {
	case !ok:
		return err
	case e.Shown:
		return e.Public()
	}
	return absent
}

// Restricted reports whether the rules may refuse any caller.
func (a *Access) Restricted() bool {
	return a.Scopes != nil || a.AnyScope != nil || a.AnyRole != nil || a.asks() || a.ItemPolicies != nil
}

// asks reports whether policies decide about lists.
func (a *Access) asks() bool { return a.Policies != nil }

// Scopes checks expiry, scopes and roles, which needs no code of the program. Its error is a *ForbiddenError, or nil.
func (g *Guard) Scopes(who *call.Caller) error {
	if g == nil {
		return nil
	}
	a := &g.Access
	if who.Expired() && a.Restricted() {
		return &ForbiddenError{Shown: a.Shown, Text: "the caller has expired"}
	}
	for _, scope := range a.Scopes {
		if !slices.Contains(who.Scopes, scope) {
			return &ForbiddenError{Shown: a.Shown, Text: "it needs " + strings.Join(a.Scopes, " and "), Needs: a.ScopeSets()}
		}
	}
	if set := noneOf(a.AnyScope, who.Scopes); set != nil {
		return &ForbiddenError{Shown: a.Shown, Text: "it needs " + strings.Join(set, " or "), Needs: a.ScopeSets()}
	}
	if set := noneOf(a.AnyRole, who.Roles); set != nil {
		return &ForbiddenError{Shown: a.Shown, Text: "it needs the role " + strings.Join(set, " or ")}
	}
	return nil
}

// ScopeSets returns the scopes that are needed: of each set, the caller must have one.
func (a *Access) ScopeSets() [][]string {
	var sets [][]string
	for _, scope := range a.Scopes {
		sets = append(sets, []string{scope})
	}
	return append(sets, a.AnyScope...)
}

// noneOf returns the first set that has no word in common with granted; nil if there is no such set.
func noneOf(sets [][]string, granted []string) []string {
	for _, set := range sets {
		if !Overlap(set, granted) {
			return set
		}
	}
	return nil
}

// Overlap reports whether set and granted have a word in common.
func Overlap(set, granted []string) bool {
	for _, word := range set {
		if slices.Contains(granted, word) {
			return true
		}
	}
	return false
}

// Asks reports whether policies have to be asked before other code of the program runs.
func (g *Guard) Asks() bool {
	return g != nil && (g.Access.Policies != nil || g.Access.ItemPolicies != nil)
}

// Counts reports whether calls of the guarded feature are counted.
func (g *Guard) Counts() bool { return g != nil && (g.Limit.Rate > 0 || g.Limit.Concurrency > 0) }

// slowTimeout is the longest timeout of calls that may run on the goroutine that reads.
const slowTimeout = time.Second

// Slow reports whether calls may take so long that another goroutine should read meanwhile.
func (g *Guard) Slow() bool { return g != nil && g.Limit.Timeout > slowTimeout }

// Hidden reports whether a list of n entries hides some of them from some callers (hides), and whether policies must be
// asked for that (asks).
func Hidden(n int, guard func(i int) *Guard) (asks, hides bool) {
	for i := range n {
		if g := guard(i); g != nil && !g.Access.Shown && g.Access.Restricted() {
			asks, hides = asks || g.Access.asks(), true
		}
	}
	return asks, hides
}

// Around runs op inside of the middleware of g.
func (g *Guard) Around(call *call.Call, op call.Operation) error {
	if g == nil || g.Use == nil {
		return op.Run(call)
	}
	return g.Use.Around(call, op)
}
