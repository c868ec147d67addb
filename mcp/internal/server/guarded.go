package server

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Target returns the URI of the resource of the request, or the name of its tool or prompt.
func (c *Call) Target() string { return c.target }

// listTimeout is how long list functions and completers may take, which have no limits of their own.
const listTimeout = 30 * time.Second

// listTimer expires the calls of one worker after listTimeout. It is used again and again, and so allocates nothing.
type listTimer struct {
	timer *time.Timer
	call  atomic.Pointer[Call]
	until atomic.Int64 // since began
}

// began is what the instants of listTimer count from.
var began = time.Now()

// watch begins to watch a call.
func (o *listTimer) watch(call *Call) {
	o.until.Store(int64(time.Since(began) + listTimeout))
	o.call.Store(call)
	if o.timer == nil {
		o.timer = time.AfterFunc(listTimeout, o.expire)
	} else {
		o.timer.Reset(listTimeout)
	}
}

// done ends that.
func (o *listTimer) done() {
	o.call.Store(nil)
	o.timer.Stop()
}

// expire is the function of the timer. It may run late, when another call is watched.
func (o *listTimer) expire() {
	if call := o.call.Load(); call != nil && int64(time.Since(began)) >= o.until.Load() {
		call.expire(listTimeout)
	}
}

// within runs f, code of the user for call, within the limits and the middleware of g.
func (w *worker) within(call *Call, g *Guard, f func() error) error {
	used, err := w.c.s.take(g, call)
	if err != nil {
		return err
	}
	defer used.leave()
	if d := g.Limit.Timeout; d > 0 {
		defer call.expireAfter(d).Stop()
	}
	w.maxResult = g.Limit.Bytes
	return around(g.Use, call, f)
}

// ErrNextLate is returned by the next of a [Middleware] that has returned already.
var ErrNextLate = errors.New("mcp: next was called after the middleware had returned")

// around runs f inside of all in use.
func around(use []Middleware, call *Call, f func() error) error {
	if len(use) == 0 {
		return f()
	}
	n := inside{call, make(chan struct{}, 1), make(chan struct{})}
	defer n.end()
	return use[0](call, func() error {
		if err := n.begin(); err != nil {
			return err
		}
		defer func() { <-n.running }()
		return around(use[1:], call, f)
	})
}

// inside is what runs inside of a middleware: once at a time, while the call goes on and the middleware has not
// returned.
type inside struct {
	call    *Call
	running chan struct{} // holds an element while it runs, and for ever once the middleware has returned
	over    chan struct{} // closed then
}

// begin waits until nothing runs, and takes running, which the caller gives back. The error is why it does not run.
func (n *inside) begin() error {
	select {
	case n.running <- struct{}{}:
		if err := n.call.Err(); err != nil {
			<-n.running
			return err
		}
		return nil
	case <-n.over:
		n.call.conn.log.Error(ErrNextLate.Error(), "target", n.call.target)
		return ErrNextLate
	default:
	}
	select {
	case n.running <- struct{}{}:
		<-n.running
		return n.begin()
	case <-n.over:
		return n.begin()
	case <-n.call.Done():
		return n.call.Err()
	}
}

// end says that the middleware has returned, once nothing runs inside.
func (n *inside) end() {
	n.running <- struct{}{}
	close(n.over)
}

// expireAfter ends the call with an error once d has passed.
func (c *Call) expireAfter(d time.Duration) *time.Timer {
	c.mu.Lock()
	c.extraLocked().deadline = time.Now().Add(d)
	c.mu.Unlock()
	return time.AfterFunc(d, func() { c.expire(d) })
}

// expire ends the call, whose time is over, and answers it unless that was done.
func (c *Call) expire(d time.Duration) {
	c.preempt(context.DeadlineExceeded, func(more *callExtra) int {
		more.expired = true
		frame, code := c.stopped(limitError(c, fmt.Sprintf("took longer than %v", d), 0))
		c.respondNow(frame, code)
		return code
	})
}

// appendFailure appends the whole response of a tool that failed.
func (c *Call) appendFailure(b []byte, text string) []byte {
	var a resultBuffer
	r := ToolText(text)
	r.IsError = true
	b = a.toolResult(c.conn.s, c.rev, &r).AppendJSON(wire.AppendResult(b, c.id), c.rev)
	return append(b, '}')
}

// fits returns the response that w has made, without its last brace, or what is sent if that is too large.
func (w *worker) fits(out []byte) ([]byte, error) {
	size := int64(wire.SizeOf(out, w.inserts) - len(wire.AppendResult(nil, w.id)))
	if w.maxResult == 0 || size <= w.maxResult {
		return out, nil
	}
	text := fmt.Sprintf("the result has %d bytes: at most %d are sent", size, w.maxResult)
	if string(w.method) != protocol.MethodToolsCall {
		return nil, limitError(w.call, text, 0)
	}
	w.inserts = w.inserts[:0]
	failure := w.call.appendFailure(w.out[:0], text)
	return failure[:len(failure)-1], nil
}
