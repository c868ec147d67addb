package mcphttp

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// A client of a session may leave while its request runs, and come back for the response: its end does not cancel the
// request. One that does not come back would hold a place for requests, and a connection, until the handler returns. So
// the request is cancelled once its client has been away for SessionTimeout, and once many requests run, for
// ResumeTimeout, until no such request is left.

// departures are the clients of sessions that have left while their requests run.
type departures struct{ *handler }

// isCrowded reports whether so many requests run that those of clients who have left should make room: a quarter of
// MaxRequests, which is half of what one client may have.
func (h departures) isCrowded() bool {
	return h.admit.Used(limits.Requests) >= (h.admit.All(limits.Requests)+3)/4
}

// reviewLater looks for clients that have left, later.
func (h departures) reviewLater() {
	time.AfterFunc(max(h.opts.ResumeTimeout/4, time.Millisecond), h.review)
}

// review cancels requests of clients that have left. It runs once at a time, while there are sessions.
func (h departures) review() {
	h.crowded = h.crowded || h.isCrowded()
	patience := h.opts.SessionTimeout
	if h.crowded {
		patience = min(h.opts.ResumeTimeout, patience)
	}
	now, cancelled, left := time.Since(start), 0, 0
	for x := range h.sessions.all() {
		if x.isUsed() {
			n, others := x.mcp.CancelLeft(int64(now), int64(patience))
			cancelled, left = cancelled+n, left+others
		}
	}
	h.crowded = h.crowded && left > 0
	if cancelled > 0 {
		h.log.Info("mcphttp: requests were cancelled: their clients have left", "requests", cancelled)
	}
	h.again(&h.reviewing, h.reviewLater)
}

// isUsed reports whether there are requests or streams of x.
func (x *session) isUsed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.using > 0
}
