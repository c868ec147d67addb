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

// Target returns what the request is about: the URI of a resource, or the name of a tool or a prompt.
func (c *Call) Target() string { return c.about }

// helpTimeout is how long list functions and completers may take, which have no limits of their own.
const helpTimeout = 30 * time.Second

// overdue expires the calls of one worker after helpTimeout. It is used again and again, and so allocates nothing.
type overdue struct {
	timer *time.Timer
	call  atomic.Pointer[Call]
	until atomic.Int64 // since began
}

// began is what the instants of overdue count from.
var began = time.Now()

// watch begins to watch a call.
func (o *overdue) watch(call *Call) {
	o.until.Store(int64(time.Since(began) + helpTimeout))
	o.call.Store(call)
	if o.timer == nil {
		o.timer = time.AfterFunc(helpTimeout, o.expire)
	} else {
		o.timer.Reset(helpTimeout)
	}
}

// done ends that.
func (o *overdue) done() {
	o.call.Store(nil)
	o.timer.Stop()
}

// expire is the function of the timer. It may run late, when another call is watched.
func (o *overdue) expire() {
	if call := o.call.Load(); call != nil && int64(time.Since(began)) >= o.until.Load() {
		call.expire(helpTimeout)
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
	w.most = g.Limit.Bytes
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
		defer func() { <-n.turn }()
		return around(use[1:], call, f)
	})
}

// inside is what runs inside of a middleware: once at a time, while the call goes on and the middleware has not
// returned.
type inside struct {
	call *Call
	turn chan struct{} // holds an element while it runs, and for ever once the middleware has returned
	over chan struct{} // closed then
}

// begin waits for its turn, which whoever takes it gives back. The error is why it does not run.
func (n *inside) begin() error {
	select {
	case n.turn <- struct{}{}:
		if err := n.call.Err(); err != nil {
			<-n.turn
			return err
		}
		return nil
	case <-n.over:
		n.call.conn.log.Error(ErrNextLate.Error(), "target", n.call.about)
		return ErrNextLate
	default:
	}
	select {
	case n.turn <- struct{}{}:
		<-n.turn
		return n.begin()
	case <-n.over:
		return n.begin()
	case <-n.call.Done():
		return n.call.Err()
	}
}

// end says that the middleware has returned, once nothing runs inside.
func (n *inside) end() {
	n.turn <- struct{}{}
	close(n.over)
}

// expireAfter ends the call with an error once d has passed.
func (c *Call) expireAfter(d time.Duration) *time.Timer {
	c.mu.Lock()
	c.moreLocked().deadline = time.Now().Add(d)
	c.mu.Unlock()
	return time.AfterFunc(d, func() { c.expire(d) })
}

// expire ends the call, whose time is over, and answers it unless that was done.
func (c *Call) expire(d time.Duration) {
	c.preempt(context.DeadlineExceeded, func(more *callMore) {
		more.expired = true
		c.responder.RespondNow(c.stopped(limitError(c, fmt.Sprintf("took longer than %v", d), 0)))
	})
}

// appendFailure appends the whole response of a tool that failed.
func (c *Call) appendFailure(b []byte, text string) []byte {
	var a answer
	r := ToolText(text)
	r.IsError = true
	b = a.toolResult(c.conn.s, c.rev, &r).AppendJSON(wire.AppendResult(b, c.id), c.rev)
	return append(b, '}')
}

// fits returns the response that w has made, without its last brace, or what is sent if that is too large.
func (w *worker) fits(out []byte) ([]byte, error) {
	size := int64(len(out) - len(wire.AppendResult(nil, w.id)))
	if w.most == 0 || size <= w.most {
		return out, nil
	}
	text := fmt.Sprintf("the result has %d bytes: at most %d are sent", size, w.most)
	if string(w.method) != protocol.MethodToolsCall {
		return nil, limitError(w.call, text, 0)
	}
	failure := w.call.appendFailure(w.out[:0], text)
	return failure[:len(failure)-1], nil
}
