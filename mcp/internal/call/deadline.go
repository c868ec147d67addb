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

// ListTimeout bounds list functions and completers. Features have timeouts of their own; these have none.
const ListTimeout = 30 * time.Second

// Timer ends calls of one worker that take too long, one call at a time. All calls share one timer, so a call allocates
// none.
type Timer struct {
	timer *time.Timer
	call  atomic.Pointer[Call]
	limit atomic.Int64
	until atomic.Int64 // since began
}

// Limit gives a call the deadline d from now. After that the call ends with an error, unless Done is called before.
func (o *Timer) Limit(c *Call, d time.Duration) {
	c.mu.Lock()
	c.extraLocked().deadline = time.Now().Add(d)
	c.mu.Unlock()
	o.Watch(c, d)
}

// Watch is Limit without telling the handler: [Call.Deadline] reports no deadline.
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

// Done ends the watch of the current call, whose handler has returned.
func (o *Timer) Done() {
	o.call.Store(nil)
	o.timer.Stop()
}

// expire runs when the timer fires. It may run late, when the timer was set for another call, so it looks at the time.
func (o *Timer) expire() {
	if call := o.call.Load(); call != nil && int64(time.Since(began)) >= o.until.Load() {
		call.expire(time.Duration(o.limit.Load()))
	}
}

// expire ends a call that took longer than d, and responds in place of its handler if there is no response yet.
func (c *Call) expire(d time.Duration) {
	c.Preempt(context.DeadlineExceeded, LimitError(c, fmt.Sprintf("took longer than %v", d), 0), (*Call).stopped)
}

// stopped encodes the response to a call that a limit has ended. For a tool it is a result, whose text the model sees.
func (c *Call) stopped(fault *wire.Error) (frame []byte, code int) {
	if !c.named || c.method != counters.MethodToolsCall {
		return Refuse(c, fault)
	}
	return c.AppendFailure(nil, fault.Message), 0
}

// Refuse encodes an error response.
func Refuse(c *Call, fault *wire.Error) (frame []byte, code int) {
	return wire.AppendError(nil, c.req.ID, false, fault), fault.Code
}

// AppendFailure appends the whole response of a tool that has failed.
func (c *Call) AppendFailure(b []byte, text string) []byte {
	r := content.ToolText(text)
	result := protocol.CallToolResult{
		Content: r.Content, Meta: c.req.Conn.Shared.ResultMeta(c.rev), IsError: new(true),
	}
	return append(result.AppendJSON(wire.AppendResult(b, c.req.ID), c.rev), '}')
}

// LimitError returns the error of a call that a limit refuses. retry is after how many milliseconds the client may try
// again; 0 means unknown.
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
