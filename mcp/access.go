package mcp

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Middleware runs around the requests of a feature. It sees the parameters and the result, and may change both, refuse
// the request by an error, or return a result of its own:
//
//	func (t *Timer) Timed(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
//		start := time.Now()
//		r, err := next(c, p)
//		t.Log.Info("called", "target", c.Target(), "params", p, "err", err, "took", time.Since(start))
//		return r, err
//	}
//
// The types of Params and Result are those of the kind:
//
//	call of a tool          *protocol.CallToolRequestParams      *protocol.CallToolResult
//	read of a resource      *protocol.ReadResourceRequestParams  *protocol.ReadResourceResult
//	get of a prompt         *protocol.GetPromptRequestParams     *protocol.GetPromptResult
//	completion              *protocol.CompleteRequestParams      *protocol.CompleteResult
//	method of an extension  *protocol.RequestParams (in Extra)   protocol.Prepared, the JSON
//
// The result of a call that becomes a task is a protocol.Prepared too; in its place middleware may return a
// *protocol.CallToolResult. The middleware runs again around each run of the handler: see [Call.TaskID].
//
// An error is treated like one of the handler, and so is a panic. No result and no error, or a result of another kind,
// is an internal error. The results that next returns may be kept and returned for other requests.
type Middleware func(c *Call, p Params, next Next) (Result, error)

// Params are the parameters of a request, without what belongs to questions and tasks. They are a copy. [Middleware]
// may set the arguments of a tool or a prompt, the value and the context of a completion, and the members of an
// extension's method. It must change nothing else, and nothing that Meta points to.
type Params interface { //nolint:iface // what goes in, and Result what comes out
	AppendJSON(b []byte, rev protocol.Revision) []byte
}

// Result is the result of a request. [Middleware] may change its fields, and replace the elements of its lists; what
// these point to may belong to others.
type Result interface { //nolint:iface // see Params
	AppendJSON(b []byte, rev protocol.Revision) []byte
}

// Next runs the inner middleware and the handler, and returns their result. ctx is the [Call] of the middleware or a
// context made from it: the handler gets its values, deadline and end. The error is that of the handler itself.
//
// The middleware may call Next several times while it runs. Concurrent calls run one after the other, and the response
// waits for a call that runs. A call after the middleware has returned runs nothing and returns an error.
type Next func(ctx context.Context, p Params) (Result, error)

// Access limits a [DynamicTool] to callers that have not expired, have the scopes and roles, and are accepted by all
// policies. For other callers the tool does not exist: it is in no list, and calling it gives the error of an unknown
// tool.
type Access struct {
	// Scopes are scopes that the caller must have, all of them.
	Scopes []string
	// AnyScope are sets of scopes; the caller must have one scope of each set.
	AnyScope [][]string
	// AnyRole are sets of roles; the caller must have one role of each set.
	AnyRole [][]string
	// Policies are asked about each call. An error refuses the caller. So does a panic, which is logged, and so does a
	// policy that takes more than 5 seconds: c is then done. Policies are called often, also for lists, and should be
	// fast.
	Policies []func(c *Call) error
	// Shown lists the tool for all callers. A caller without the right gets an error that gives the reason.
	Shown bool
}

// Limit limits the cost of calls of a [DynamicTool]. The zero value has no limits; negative numbers are an error.
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

// RateLimitKey selects which calls count together for a rate.
type RateLimitKey uint8

const (
	// ByUser counts the calls of each subject. Calls without a subject count for the address of the client over HTTP, and
	// else for the connection.
	ByUser RateLimitKey = iota
	// ByClient counts the calls of each connection or session. Requests without one count for their subject, or else for
	// the address of the client.
	ByClient
	// Global counts all calls together.
	Global
)
