package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
)

// counts returns where the requests of w are counted.
func (w *worker) counts() *counters.Shard {
	if w.shard == nil {
		w.shard = w.c.s.shared.Counts.Shard()
	}
	return w.shard
}

// panicked counts a panic in code of the user.
func (w *worker) panicked(p labels.Panic) { w.c.s.shared.Counts.Panicked[p].Add(1) }

// refused counts a refusal.
func (w *worker) refused(r labels.Refusal) { w.c.s.shared.Counts.Refused[r].Add(1) }

// outcomeCode is what the response at hand counts as.
func (w *worker) outcomeCode() counters.Code {
	if w.code == 0 && w.result.tool.IsError != nil && *w.result.tool.IsError {
		return counters.CodeToolError
	}
	return counters.CodeOf(w.code)
}

// countElsewhere counts a request that w sends no response to. One that was answered in place of its handler is counted
// already, and not abandoned any more.
func (w *worker) countElsewhere(c counters.Code) {
	switch {
	case w.call != nil && call.WasPreempted(w.call):
		w.c.s.shared.Counts.Left.Add(-1)
		return
	case w.call != nil && w.call.Cancelled():
		c = counters.CodeCancelled
	}
	w.counts().End(w.number, c)
}

// countUnread counts a connection whose client has not read in time.
func (c *conn) countUnread() { c.s.shared.Counts.Closed[labels.ClosedUnread].Add(1) }
