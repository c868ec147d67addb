package sessions

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// A client of a session may leave while its request runs, and come back for the response, so leaving does not cancel
// the request. But if the client does not come back, the request would keep its place and a connection until the
// handler returns. So it is cancelled when its client has been away for SessionTimeout or, while many requests run, for
// ResumeTimeout.

// isCrowded reports whether so many requests run that those of clients who have left must make room: a quarter of
// MaxRequests, which is half of what one client may have.
func (t *Set) isCrowded() bool {
	return t.admit.Used(limits.Requests) >= (t.admit.All(limits.Requests)+3)/4
}

// reviewLater starts a timer for the next review.
func (t *Set) reviewLater() {
	time.AfterFunc(max(t.resumeTimeout/4, time.Millisecond), t.review)
}

// review cancels requests of clients that have left. It runs once at a time, while there are sessions.
func (t *Set) review() {
	t.crowded = t.crowded || t.isCrowded()
	patience := t.timeout
	if t.crowded {
		patience = min(t.resumeTimeout, patience)
	}
	now, cancelled, left := time.Since(start), 0, 0
	for x := range t.table.all() {
		if x.isUsed() {
			n, others := x.MCP.CancelLeft(int64(now), int64(patience))
			cancelled, left = cancelled+n, left+others
		}
	}
	t.crowded = t.crowded && left > 0
	if cancelled > 0 {
		t.log.Info("mcphttp: requests were cancelled: their clients have left", "requests", cancelled)
	}
	t.rearm(&t.reviewing, t.reviewLater)
}
