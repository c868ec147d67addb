package mcp

import "time"

// Middleware runs around calls of a tool, reads of a resource or gets of a prompt. next runs the inner middleware and
// the handler, and returns their error; if it is called several times, the last call determines the response. An error
// or a panic of the middleware is treated like one of the handler. If the middleware returns nil without a call of
// next, the response is empty: a result without content, or a resource that does not exist.
//
// next is valid while the middleware runs. Concurrent calls of next run one after the other, the response waits for a
// running one, and later calls run nothing and return an error.
type Middleware func(c *Call, next func() error) error

// Access limits a [DynamicTool] to callers that have not expired, have the scopes and roles, and are accepted by all
// policies. For other callers the tool does not exist: it is in no list, and a call is the same error as the call of an
// unknown tool.
type Access struct {
	// Scopes are scopes that the caller must have, all of them.
	Scopes []string
	// AnyScope are sets of scopes; the caller must have one scope of each set.
	AnyScope [][]string
	// AnyRole are sets of roles; the caller must have one role of each set.
	AnyRole [][]string
	// Policies are called with a call of the caller. An error refuses the caller, and so do a panic, which is logged,
	// and a policy that takes more than 5 seconds, after which c ends. Policies are called often, also for lists, and
	// should be fast.
	Policies []func(c *Call) error
	// Shown lists the tool for all callers. A call without the right is then an error that gives the reason.
	Shown bool
}

// Limit limits the cost of calls of a [DynamicTool]. The zero value has no limits; negative numbers are an error.
type Limit struct {
	// Timeout is the longest duration of a call. Then the response is an error, also if the handler goes on, and the
	// context of the call ends. 0 means no limit.
	Timeout time.Duration
	// Rate is how many calls are allowed in the period Per, and Burst how many of them at once; a Burst of 0 means
	// Rate. By is what counts together. Further calls are refused with the time to wait. A Rate of 0 means no limit.
	Rate  int
	Per   time.Duration
	Burst int
	By    RateLimitKey
	// Concurrency is how many calls may run at the same time; further calls are refused. 0 means no limit.
	Concurrency int
	// Bytes is the largest size of a result as JSON; 0 means no limit.
	Bytes int64
}

// RateLimitKey selects which calls count together for a rate.
type RateLimitKey uint8

const (
	// ByUser counts the calls of each subject; calls of anonymous callers count for their connection or session,
	// and requests of 2026-07-28 over HTTP for their address.
	ByUser RateLimitKey = iota
	// ByClient counts the calls of each connection or session; requests without one count for their subject,
	// or else their address.
	ByClient
	// Global counts all calls together.
	Global
)
