package server

import (
	"context"
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

	conn      *conn           // nil for the call of a watcher, which belongs to no connection
	base      context.Context // of Serve, for its values; of an inner call, what a middleware has passed on
	id        wire.ID         // as the client wrote it
	responder responder       // nil for the call of a watcher
	meta      *protocol.RequestMetaObject

	target string // URI of a resource; with named, name of a tool or prompt, or a method
	rev    protocol.Revision
	named  bool
	method counters.Method
	state  atomic.Uint32

	mu    sync.Mutex
	extra *callExtra
	err   error // why the call has ended
	done  chan struct{}
	after map[*func()]struct{} // functions to start when the call ends
}

// A call is answered or cancelled, whatever comes first; what comes second does nothing. While it is settled, somebody
// has the right to answer it and makes the response, and it can still be cancelled until the response is written.
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
	retry    *inputRetry // of questions, from 2026-07-28 on
	deadline time.Time   // zero for none

	held   int64         // bytes that are counted for the response; belongs to the handler
	buffer []byte        // of what was read for the response; belongs to the handler
	large  *engine.Large // what the response has besides its frame, once it was made

	preempting sync.Mutex // held while the call is answered in place of its handler, taken before mu
	expired    bool       // guarded by preempting: that was because of the deadline
	preempted  bool       // guarded by preempting: it was answered so
}

// extraLocked returns c.extra, made when first needed.
func (c *Call) extraLocked() *callExtra {
	if c.extra == nil {
		c.extra = new(callExtra)
	}
	return c.extra
}

// pathCall is a Call with variables, so that both are one allocation.
type pathCall struct {
	Call
	vars uri.Vars
}

var _ context.Context = (*Call)(nil)

// URI returns the URI of the resource of the request, or "" if the request has none.
func (c *Call) URI() string {
	if c.named {
		return ""
	}
	return c.target
}

// Revision returns the revision of the protocol of the request.
func (c *Call) Revision() protocol.Revision { return c.rev }

// HasCacheHints reports whether results for the request say how long clients may cache them.
func HasCacheHints(c *Call) bool { return era.IsModern(c.rev) }

// ResourceUpdated publishes an update of the resource at uri, like [Server.ResourceUpdated]. In a watch function it
// does nothing, because the function reports changes by yielding.
func (c *Call) ResourceUpdated(uri string) {
	if c.conn != nil {
		c.conn.s.ResourceUpdated(uri)
	}
}

// ResourceListChanged announces a change of the list of resources, like [Server.ResourceListChanged]. In a watch
// function it does nothing.
func (c *Call) ResourceListChanged() {
	if c.conn != nil {
		c.conn.s.ResourceListChanged()
	}
}

// Deadline implements [context.Context]. The deadline comes from the timeout of the feature, if it has one.
func (c *Call) Deadline() (deadline time.Time, ok bool) {
	if c.inner() {
		return c.base.Deadline()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extra == nil || c.extra.deadline.IsZero() {
		return time.Time{}, false
	}
	return c.extra.deadline, true
}

// Value implements [context.Context]. The values are those of the context that [Server.Serve] got or, over HTTP, of
// the HTTP request.
func (c *Call) Value(key any) any {
	if c.base == nil {
		return nil
	}
	return c.base.Value(key)
}

// Done implements [context.Context].
func (c *Call) Done() <-chan struct{} {
	if c.inner() {
		return c.base.Done()
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
		return c.base.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// AfterFunc calls f on a new goroutine after the call has ended. The returned function cancels that and reports whether
// it prevented the call of f. Package context uses the method to derive contexts without a goroutine.
func (c *Call) AfterFunc(f func()) (stop func() bool) {
	if c.inner() {
		return context.AfterFunc(c.base, f)
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

// end ends the context. Only the first reason counts.
func (c *Call) end(reason error) {
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

// live returns an error once the call was cancelled or answered elsewhere: then no code of the user begins for
// it.
func (c *Call) live() error {
	if c.own().state.Load() != callRunning {
		return engine.ErrEnded
	}
	return nil
}

// settle takes the right to answer the call. It is false if the client has cancelled the call or it was answered
// elsewhere: then nothing may be sent. Otherwise the response is given to the responder, which commits to it.
func (c *Call) settle() bool { return c.state.CompareAndSwap(callRunning, callSettled) }

// commit is called right before the response is written, and frees the id for the client. It is false if the client has
// cancelled the call since it was settled: then nothing is written.
func (c *Call) commit() bool {
	if !c.state.CompareAndSwap(callSettled, callAnswered) {
		return false
	}
	if _, ok := c.responder.(*httpExchange); ok {
		c.conn.calls.Respond(c.id, c)
	} else { // what follows is written behind it
		c.conn.calls.Forget(c.id, c)
	}
	return true
}

// settleNow is settle and commit, with the lock held under which the response is written next.
func (c *Call) settleNow() bool { return c.settle() && c.commit() }

// respondNow sends the response of a call that was settled, in place of its handler.
func (c *Call) respondNow(frame []byte, code int) {
	c.responder.RespondNow(frame, code, (*runningCall)(c))
}

// Caller returns the caller of the request.
func (c *Call) Caller() Caller {
	if c.responder == nil {
		return Caller{}
	}
	return *c.responder.sender()
}

// principal is who has sent the request, as far as the transport knows; "" if it does not.
func (c *Call) principal() string { return c.Caller().Subject }

// preempt ends the call for a reason and has it answered in place of its handler, unless that was done. Whoever finds
// the call settled meanwhile waits for the answer, see afterPreempt: what it is written to is the handler's to give
// back.
func (c *Call) preempt(reason error, answer func(*callExtra) (code int)) {
	c.mu.Lock()
	more := c.extraLocked()
	c.mu.Unlock()
	more.preempting.Lock()
	defer more.preempting.Unlock()
	answers := c.settle()
	c.end(reason)
	if answers {
		more.preempted = true
		c.conn.s.counts.Preempted(c.method, answer(more))
	}
}

// afterPreempt waits for the answer that preempt has written, if it does. It reports whether the reason was the
// deadline.
func (c *Call) afterPreempt() (expired bool) {
	c.mu.Lock()
	more := c.extra
	c.mu.Unlock()
	if more == nil {
		return false
	}
	more.preempting.Lock()
	defer more.preempting.Unlock()
	return more.expired
}

// wasPreempted reports whether preempt has answered the call.
func (c *Call) wasPreempted() bool {
	c.mu.Lock()
	more := c.extra
	c.mu.Unlock()
	if more == nil {
		return false
	}
	more.preempting.Lock()
	defer more.preempting.Unlock()
	return more.preempted
}

// stopped is the response with which a limit ends the call: a result for the model if it is a tool.
func (c *Call) stopped(fault *wire.Error) (frame []byte, code int) {
	if !c.named || c.method != counters.MethodToolsCall {
		return wire.AppendError(nil, c.id, false, fault), fault.Code
	}
	return c.appendFailure(nil, fault.Message), 0
}
