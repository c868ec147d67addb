package mcp

import "time"

// Middleware runs around the calls of a feature: calls of a tool, reads of a resource, gets of a prompt. next
// runs what is inside, and returns its error; the answer is that of the last run. What Middleware returns
// instead is treated like an error of the handler. If it returns nil without a run, the answer is empty: a result
// without content, a resource that is not found. A panic is treated like one of the handler.
//
// next is for as long as Middleware runs. Calls of it from several goroutines run one after the other, the answer waits
// for one that is still running, and a call that comes later runs nothing and returns an error.
type Middleware func(c *Call, next func() error) error

// Access says who may use a [DynamicTool]: callers that have not expired, have all the scopes and a role, and are not
// refused by a policy. To others the tool does not exist: it is in no list, and to call it is the same error as to
// call what was never declared.
type Access struct {
	// Scopes must all be granted to the caller.
	Scopes []string
	// AnyScope are sets of scopes; one of each must be granted.
	AnyScope [][]string
	// AnyRole are sets of roles; the caller must have one of each.
	AnyRole [][]string
	// Policies decide by the caller. Any error refuses it, and so do a panic, which is logged, and an answer that takes
	// longer than 5 seconds: c ends then. A policy is called often, for lists too, and should not wait for long.
	Policies []func(c *Call) error
	// Shown leaves the tool in the lists of everybody. To call it without the right to is an error that
	// says so.
	Shown bool
}

// Limit bounds what calls of a [DynamicTool] may cost. The zero value bounds nothing; negative numbers are an error.
type Limit struct {
	// Timeout ends the context of a call, and answers it with an error whether its handler has noticed or not.
	Timeout time.Duration
	// Rate calls in Per may be made by each of whom By tells apart, Burst of them at once; Burst 0 means Rate.
	// Others are refused at once, with the time to wait.
	Rate  int
	Per   time.Duration
	Burst int
	By    RateLimitKey
	// Concurrency is how many calls may run at the same time; others are refused at once. 0 means any number.
	Concurrency int
	// Bytes bounds the JSON of a result; 0 means any size.
	Bytes int64
}

// RateLimitKey says whose calls count together for a rate.
type RateLimitKey uint8

const (
	// ByUser counts for each subject; whoever has none is counted by connection.
	ByUser RateLimitKey = iota
	// ByClient counts for each connection or session; requests that belong to none are counted by subject.
	ByClient
	// Global counts all calls together.
	Global
)
