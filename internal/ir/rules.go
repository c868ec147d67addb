package ir

import "time"

// Rules is what a feature asks of its callers, defaults included; see mcprt.Guard.
type Rules struct {
	// Scopes must all be granted, and one of each set of AnyScope and of AnyRole.
	Scopes            []string
	AnyScope, AnyRole [][]string
	Policies          []Policy
	// Shown leaves the feature in the lists of those who may not use it.
	Shown bool
	Limit Limit
	// Use are the methods of the middleware, outermost first.
	Use []string
}

// Restricts reports whether somebody could be refused.
func (g *Rules) Restricts() bool {
	return g != nil && (g.Scopes != nil || g.AnyScope != nil || g.AnyRole != nil || g.Policies != nil)
}

// Policy is a rule of the program.
type Policy struct {
	Callee Callee
	// Name is the generated method that gives it the variables; empty if it takes none.
	Name string
}

// Limit bounds what calls may cost; zero values bound nothing.
type Limit struct {
	Timeout time.Duration
	Rate    int64
	Per     time.Duration
	Burst   int64
	// By is client or global; empty for user.
	By          string
	Concurrency int64
	Bytes       int64
}
