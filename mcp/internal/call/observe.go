package call

import (
	"context"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// observerPanics is deferred where the observer is called. It logs a panic and goes on.
func observerPanics(c *Conn) {
	if v := recover(); v != nil {
		c.Shared.Counts.Panicked[labels.PanicObserver].Add(1)
		c.Log.Error("mcp: the observer has panicked", "panic", v, "stack", string(debug.Stack()))
	}
}

// Observe tells the observer that op begins, and returns the context for it. With a nil op it tells the observer that
// the operation of ctx has ended, with the outcome out.
func Observe(ctx context.Context, c *Conn, op stats.Operation, out stats.Outcome) (in context.Context) {
	in = ctx // the result if the observer panics or returns nil
	defer observerPanics(c)
	if op != nil {
		if from := c.Shared.Observer.Begin(ctx, op); from != nil {
			in = from
		}
	} else {
		c.Shared.Observer.End(ctx, out)
	}
	return in
}

// Carry lets the observer add trace context of ctx to the metadata of a message.
func Carry(ctx context.Context, c *Conn, extra *wire.Extra) {
	if c.Shared.Observer == nil {
		return
	}
	defer observerPanics(c)
	*extra = slices.Clone(*extra)
	c.Shared.Observer.Carry(ctx, func(key, value string) { extra.Set(key, wire.AppendString(nil, value)) })
}

// began is when the process started. Times are kept as durations since then.
var began = time.Now()

// SessionName returns a name for the session of c that no other session has, in any process; "" if there is no session.
func SessionName(c *Conn, rev protocol.Revision) string {
	if era.IsModern(rev) || c.Serial == 0 {
		return ""
	}
	return strconv.FormatInt(began.UnixNano(), 36) + "-" + strconv.FormatUint(c.Serial, 10)
}

// waitClock measures how long a call has waited for its client or for a task.
type waitClock struct {
	since time.Time // zero unless it waits
	total time.Duration
}

// turn notes that a wait begins or, if begins is false, ends.
func (w *waitClock) turn(begins bool) {
	switch {
	case begins:
		w.since = time.Now()
	case !w.since.IsZero():
		w.total += time.Since(w.since)
		w.since = time.Time{}
	}
}

// waited returns the total of all waits, including one that has not ended.
func (w waitClock) waited() time.Duration {
	w.turn(false)
	return w.total
}
