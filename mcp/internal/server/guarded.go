package server

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
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

// within runs op, code of the user for call, within the limits and the middleware of g.
func (w *worker) within(call *Call, g *Guard, op operation) error {
	used, err := w.c.s.take(g, call)
	if err != nil {
		return err
	}
	defer used.leave()
	if d := g.Limit.Timeout; d > 0 {
		defer call.expireAfter(d).Stop()
	}
	w.maxResult = g.Limit.Bytes
	return g.around(call, op)
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
	r := content.ToolText(text)
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
