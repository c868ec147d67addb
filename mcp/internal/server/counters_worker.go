package server

import "github.com/mcpgen/mcpgen/mcp/stats"

// counts returns where the requests of w are counted.
func (w *worker) counts() *countShard {
	if w.shard == nil {
		w.shard = w.c.s.counts.shard()
	}
	return w.shard
}

// panicked counts a panic in code of the user.
func (w *worker) panicked(p stats.Panic) { w.c.s.counts.Panicked[p].Add(1) }

// refused counts a refusal.
func (w *worker) refused(r stats.Refusal) { w.c.s.counts.Refused[r].Add(1) }

// outcomeCode is what the response at hand counts as.
func (w *worker) outcomeCode() codeNumber {
	if w.code == 0 && w.result.tool.IsError != nil && *w.result.tool.IsError {
		return codeToolError
	}
	return codeOf(w.code)
}

// countElsewhere counts a request that w sends no response to. One that was answered in place of its handler is counted
// already, and not abandoned any more.
func (w *worker) countElsewhere(c codeNumber) {
	switch call := w.call; {
	case call != nil && call.wasPreempted():
		w.c.s.counts.left.Add(-1)
		return
	case call != nil && call.state.Load() == callCancelled:
		c = codeCancelled
	}
	w.counts().end(w.number, c)
}

// countUnread counts a connection whose client has not read in time.
func (c *conn) countUnread() { c.s.counts.Closed[stats.ClosedUnread].Add(1) }

// asks counts an open question. The returned function takes it back.
func (c *Counters) asks(q Question) (answered func()) {
	n := &c.questions[kindOfQuestion(q)]
	n.Add(1)
	return func() { n.Add(-1) }
}

func kindOfQuestion(q Question) stats.Question {
	switch needs := q.base().needs; {
	case needs&(Sampling|SamplingTools) != 0:
		return stats.QuestionSampling
	case needs&Roots != 0:
		return stats.QuestionRoots
	}
	return stats.QuestionElicitation
}
