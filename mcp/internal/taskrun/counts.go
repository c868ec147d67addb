package taskrun

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Counts are numbers since the engine was made; see [stats.Tasks].
type Counts struct {
	Created, Deferred, Asked, TakenOver, GivenBack, Expired, StoreErrors atomic.Int64
	Ended                                                                [stats.NumTaskEnds]atomic.Int64
}

// add counts an outcome that was written; restart says whether the task may run again.
func (c *Counts) add(o *Outcome, restart bool) {
	switch {
	case o.Asked != nil:
		c.Asked.Add(1)
	case o.Again:
		c.Deferred.Add(1)
	case o.Stopped && restart:
		c.GivenBack.Add(1)
	case o.Stopped:
		c.Ended[stats.TaskInterrupted].Add(1)
	case o.Error != nil:
		c.Ended[stats.TaskFailed].Add(1)
	case o.IsError:
		c.Ended[stats.TaskToolError].Add(1)
	default:
		c.Ended[stats.TaskCompleted].Add(1)
	}
}

// cutMessage returns a text as a status message.
func cutMessage(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxMessage {
		return text
	}
	n := maxMessage
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
