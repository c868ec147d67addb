package call

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ListTimeout is how long list functions and completers may take, which have no limits of their own.
const ListTimeout = 30 * time.Second

// Timer ends the calls of one worker that take too long. It is used again and again, and so allocates nothing.
type Timer struct {
	timer *time.Timer
	call  atomic.Pointer[Call]
	limit atomic.Int64
	until atomic.Int64 // since began
}

// Limit ends a call with an error once d has passed, which is its deadline, until Done.
func (o *Timer) Limit(c *Call, d time.Duration) {
	c.mu.Lock()
	c.extraLocked().deadline = time.Now().Add(d)
	c.mu.Unlock()
	o.Watch(c, d)
}

// Watch is Limit for a call whose handler is not told of the deadline.
func (o *Timer) Watch(call *Call, d time.Duration) {
	o.limit.Store(int64(d))
	o.until.Store(int64(time.Since(began) + d))
	o.call.Store(call)
	if o.timer == nil {
		o.timer = time.AfterFunc(d, o.expire)
	} else {
		o.timer.Reset(d)
	}
}

// Done ends that.
func (o *Timer) Done() {
	o.call.Store(nil)
	o.timer.Stop()
}

// expire is the function of the timer. It may run late, when another call is watched.
func (o *Timer) expire() {
	if call := o.call.Load(); call != nil && int64(time.Since(began)) >= o.until.Load() {
		call.expire(time.Duration(o.limit.Load()))
	}
}

// expire ends the call, whose time is over, and answers it unless that was done.
func (c *Call) expire(d time.Duration) {
	c.Preempt(context.DeadlineExceeded, LimitError(c, fmt.Sprintf("took longer than %v", d), 0), (*Call).stopped)
}

// stopped is the response with which a limit ends the call: a result for the model if it is a tool.
func (c *Call) stopped(fault *wire.Error) (frame []byte, code int) {
	if !c.named || c.method != counters.MethodToolsCall {
		return Refuse(c, fault)
	}
	return c.AppendFailure(nil, fault.Message), 0
}

// Refuse is the response with an error.
func Refuse(c *Call, fault *wire.Error) (frame []byte, code int) {
	return wire.AppendError(nil, c.req.ID, false, fault), fault.Code
}

// AppendFailure appends the whole response of a tool that failed.
func (c *Call) AppendFailure(b []byte, text string) []byte {
	r := content.ToolText(text)
	result := protocol.CallToolResult{
		Content: r.Content, Meta: c.req.Conn.Shared.ResultMeta(c.rev), IsError: new(true),
	}
	return append(result.AppendJSON(wire.AppendResult(b, c.req.ID), c.rev), '}')
}

// LimitError is the error of a call that a limit refuses. retry is in milliseconds; 0 means unknown.
func LimitError(call *Call, text string, retry int64) *wire.Error {
	e := wire.NewError(wire.CodeInternal, text)
	b := []byte{'{'}
	if uri := call.URI(); uri != "" {
		b = append(wire.AppendString(append(b, `"uri":`...), uri), ',')
	}
	if retry > 0 {
		b = append(strconv.AppendInt(append(b, `"retryAfterMs":`...), retry, 10), ',')
	}
	if len(b) > 1 {
		e.Data = json.RawMessage(wire.EndObject(b))
	}
	return e
}
