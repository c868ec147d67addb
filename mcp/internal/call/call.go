package call

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Call is one request on its way through the server, and the context of its handler. It ends when
// the client cancels the request, when the connection ends, and when the request was answered.
// A Call may be kept and used from several goroutines, except Vars.
type Call struct {
	// Vars are the variables that the router found in the URI, or the arguments of a prompt; nil unless
	// the request is about an instance of a template or a prompt.
	Vars *uri.Vars

	req    Request
	rev    protocol.Revision
	named  bool // the target is a name and no URI
	method counters.Method
	state  atomic.Uint32

	mu    sync.Mutex
	extra *callExtra
	err   error // why the call has ended
	done  chan struct{}
	after map[*func()]struct{} // functions to start when the call ends
}

// Request is the request that a call belongs to. It is set before the call is visible to other goroutines.
type Request struct {
	Conn      *Conn           // nil for the call of a watcher, which belongs to no connection
	Base      context.Context // of Serve, for its values; of an inner call, what a middleware has passed on
	ID        wire.ID         // as the client wrote it
	Responder Responder       // nil for the call of a watcher
	Meta      *protocol.RequestMetaObject
	Target    string // URI of a resource, or name of a tool or prompt, or a method
}

// Request returns the request that c belongs to.
func (c *Call) Request() *Request { return &c.req }

// Init makes c, a new Call, the call of a request. The method is zero for a call that the server makes itself.
func (c *Call) Init(of Request, rev protocol.Revision, method counters.Method) {
	c.req, c.rev, c.method = of, rev, method
}

// Named reports whether the target of c is the name of a tool, prompt or method, rather than a URI.
func (c *Call) Named() bool { return c.named }

// SetTarget sets the URI or the name that the request is for, once it is known.
func (c *Call) SetTarget(target string, named bool, meta *protocol.RequestMetaObject) {
	c.req.Target, c.named, c.req.Meta = target, named, meta
}

// A call is either answered or cancelled: once one of these has happened, the other does nothing. While a call is
// settled, one goroutine has the right to answer it and makes the response; until that is written the call can still be
// cancelled.
const (
	callRunning uint32 = iota
	callSettled
	callAnswered
	callCancelled
	callInner // of a call inside of a middleware, whose extra has the call of the request
)

// callExtra is what only some handlers need of their call. It is guarded by mu of the call.
type callExtra struct {
	root     *Call // of an inner call only: the call of the request
	progress *progress
	logs     *logBudget
	retry    *inputRetry // answers and open questions, from 2026-07-28 on
	deadline time.Time   // zero for none

	wait waitClock

	held   int64         // bytes that are counted for the response; belongs to the handler
	buffer []byte        // memory of a large value of the response, for Release; belongs to the handler
	large  *engine.Large // what the response has besides its frame, once it was made

	preempting sync.Mutex // held while the call is answered in place of its handler, taken before mu
	expired    bool       // guarded by preempting: preempted because of the deadline
	preempted  bool       // guarded by preempting: Preempt has responded
}

// extraLocked returns c.extra, and makes it the first time.
func (c *Call) extraLocked() *callExtra {
	if c.extra == nil {
		c.extra = new(callExtra)
	}
	return c.extra
}

// PathCall is a Call with variables of a URI, so that both are one allocation.
type PathCall struct {
	Call
	Values uri.Vars // that Vars points to
}

var _ context.Context = (*Call)(nil)

// callKey is the key of the [Call] in contexts that are derived from it.
type callKey struct{}

// URI returns the URI of the resource of the request, or "" if the request has none.
func (c *Call) URI() string {
	if c.named {
		return ""
	}
	return c.req.Target
}

// Revision returns the revision of the protocol of the request.
func (c *Call) Revision() protocol.Revision { return c.rev }

// HasCacheHints reports whether results for the request say how long clients may cache them.
func HasCacheHints(c *Call) bool { return era.IsModern(c.rev) }

// ResourceUpdated publishes an update of the resource at uri, like the method of the server. In a watch function it
// does nothing, because the function reports changes by yielding.
func (c *Call) ResourceUpdated(uri string) {
	if c.req.Conn != nil {
		c.req.Conn.Shared.Publisher.ResourceUpdated(uri, c.Principal())
	}
}

// ResourceListChanged announces a change of the list of resources, like the method of the server. In a watch
// function it does nothing.
func (c *Call) ResourceListChanged() {
	if c.req.Conn != nil {
		c.req.Conn.Shared.Publisher.ResourceListChanged()
	}
}

// Target returns the URI of the resource of the request, or the name of its tool or prompt.
func (c *Call) Target() string { return c.req.Target }

// Deadline implements [context.Context]. The deadline comes from the timeout of the feature, if it has one.
func (c *Call) Deadline() (deadline time.Time, ok bool) {
	if c.inner() {
		return c.req.Base.Deadline()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extra == nil || c.extra.deadline.IsZero() {
		return time.Time{}, false
	}
	return c.extra.deadline, true
}

// Value implements [context.Context]. The values are those of the context of Server.Serve or, over HTTP, of the HTTP
// request.
func (c *Call) Value(key any) any {
	if key == any(callKey{}) {
		return c
	}
	if c.req.Base == nil {
		return nil
	}
	return c.req.Base.Value(key)
}

// Done implements [context.Context].
func (c *Call) Done() <-chan struct{} {
	if c.inner() {
		return c.req.Base.Done()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

// Err implements [context.Context].
func (c *Call) Err() error {
	if c.inner() {
		return c.req.Base.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// AfterFunc calls f on a new goroutine after the call has ended. stop prevents that, and reports whether it came in
// time. Package context uses the method to derive contexts without a goroutine.
func (c *Call) AfterFunc(f func()) (stop func() bool) {
	if c.inner() {
		return context.AfterFunc(c.req.Base, f)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.after == nil {
		c.after = make(map[*func()]struct{})
	}
	key := &f
	c.after[key] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, found := c.after[key]
		delete(c.after, key)
		return found
	}
}

// Running reports whether c was neither settled nor cancelled.
func (c *Call) Running() bool { return c.state.Load() == callRunning }

// Cancelled reports whether c was cancelled.
func (c *Call) Cancelled() bool { return c.state.Load() == callCancelled }

// Cancel cancels c, so that nobody can answer it any more. It returns false if its response is being written or was.
func (c *Call) Cancel() bool {
	return c.state.CompareAndSwap(callRunning, callCancelled) || c.state.CompareAndSwap(callSettled, callCancelled)
}

// AsRequest returns c in the form that responders need.
func (c *Call) AsRequest() engine.Request { return (*runningCall)(c) }

// End ends the context. Only the first reason counts.
func (c *Call) End(reason error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = reason
	if c.done != nil {
		close(c.done)
	}
	after := c.after
	c.after = nil
	c.mu.Unlock()
	for f := range after {
		go (*f)()
	}
}

// Live returns an error if the call was cancelled or has its answer already. Then no more code of the user may be
// started for it.
func (c *Call) Live() error {
	if !c.Own().Running() {
		return engine.ErrEnded
	}
	return nil
}

// Settle takes the right to answer the call. It returns false if the client has cancelled the call or it has its answer
// already: then nothing may be sent. Otherwise the caller must give the response to the responder, which calls commit
// before it writes.
func (c *Call) Settle() bool { return c.state.CompareAndSwap(callRunning, callSettled) }

// commit is called right before the response is written, and frees the id for the client. It returns false if the
// client has cancelled the call since it was settled: then nothing is written.
func (c *Call) commit() bool {
	if !c.state.CompareAndSwap(callSettled, callAnswered) {
		return false
	}
	if _, ok := c.req.Responder.(*HTTPExchange); ok {
		c.req.Conn.Calls.Respond(c.req.ID, c)
	} else { // the connection writes later messages behind the response
		c.req.Conn.Calls.Forget(c.req.ID, c)
	}
	return true
}

// SettleNow is Settle and commit. The response must be written under the lock that the caller holds.
func (c *Call) SettleNow() bool { return c.Settle() && c.commit() }

// Caller returns the caller of the request.
func (c *Call) Caller() Caller {
	if c.req.Responder == nil {
		return Caller{}
	}
	return *c.req.Responder.Sender()
}

// Principal returns the subject of the sender of the request; "" if the transport does not know it.
func (c *Call) Principal() string { return c.Caller().Subject }

// Preempt ends the call for a reason, such as its deadline, and responds in place of the handler unless there is a
// response already. encode makes the response out of fault. The goroutine of the handler waits in [Call.AfterPreempt]
// until the response is written, because the exchange of the request ends with that goroutine.
func (c *Call) Preempt(reason error, fault *wire.Error, encode func(*Call, *wire.Error) (frame []byte, code int)) {
	c.mu.Lock()
	more := c.extraLocked()
	c.mu.Unlock()
	more.preempting.Lock()
	answers, code := c.Settle(), 0
	c.End(reason)
	if answers {
		more.preempted, more.expired = true, errors.Is(reason, context.DeadlineExceeded)
		var frame []byte
		frame, code = encode(c, fault)
		if run := c.Task(); run != nil {
			run.Preempted(fault)
		}
		c.req.Responder.RespondNow(frame, code, (*runningCall)(c))
		c.req.Conn.Shared.Counts.Preempted(c.method, code)
	}
	more.preempting.Unlock()
	if answers && c.req.Conn.Shared.Observer != nil {
		Observe(c.req.Base, c.req.Conn, nil, &preemptedOutcome{c, code})
	}
}

// AfterPreempt waits while Preempt responds, if it does. It reports whether the reason was the deadline.
func (c *Call) AfterPreempt() (expired bool) {
	_, expired = preemption(c)
	return expired
}

// WasPreempted reports whether Preempt has answered the call.
func WasPreempted(c *Call) bool {
	preempted, _ := preemption(c)
	return preempted
}

func preemption(c *Call) (preempted, expired bool) {
	c.mu.Lock()
	more := c.extra
	c.mu.Unlock()
	if more == nil {
		return false, false
	}
	more.preempting.Lock()
	defer more.preempting.Unlock()
	return more.preempted, more.expired
}

// preemptedOutcome implements [stats.Outcome] for a call that was answered in place of its handler.
type preemptedOutcome struct {
	call *Call
	code int
}

func (o *preemptedOutcome) Fault() (code int, message string) { return o.code, "" }

func (o *preemptedOutcome) ToolError() bool { return o.code == 0 }

func (o *preemptedOutcome) Cancelled() bool { return false }

func (o *preemptedOutcome) Denied() bool { return false }

func (o *preemptedOutcome) Waited() time.Duration { return Waited(o.call) }

// Waited is how long the call has waited for answers of its client, or for the end of a task.
func Waited(c *Call) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extra == nil {
		return 0
	}
	return c.extra.wait.waited()
}

// Origin returns the call of the request that c belongs to. Mostly that is c itself; an access policy for one instance
// in a list has a call of its own, whose origin is the call of the list. It is nil if there is no request, as before an
// update.
func (c *Call) Origin() *Call {
	if parent, ok := c.Request().Base.(*Call); ok && c.Request().ID.IsZero() && parent.Request().Conn == c.Request().Conn {
		c = parent
	}
	if c.Request().ID.IsZero() {
		return nil
	}
	return c
}

// inner reports whether c is a copy that a middleware has given another context.
func (c *Call) inner() bool { return c.state.Load() == callInner }

// Own returns the call of the request, without the contexts of middleware. It holds the state of c.
func (c *Call) Own() *Call {
	if c.inner() {
		return c.extra.root
	}
	return c
}
