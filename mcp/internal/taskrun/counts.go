package taskrun

import (
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Counts are the numbers of an engine since it was made; see Tasks of package stats.
type Counts struct {
	Created, Deferred, Asked, TakenOver, GivenBack, Expired, StoreErrors atomic.Int64
	Ended                                                                [labels.NumTaskEnds]atomic.Int64
}

// add counts an outcome that was written. restart says whether the task may run again.
func (c *Counts) add(o *Outcome, restart bool) {
	switch {
	case o.Asked != nil:
		c.Asked.Add(1)
	case o.Again:
		c.Deferred.Add(1)
	case o.Stopped && restart:
		c.GivenBack.Add(1)
	case o.Stopped:
		c.Ended[labels.TaskInterrupted].Add(1)
	case o.Error != nil:
		c.Ended[labels.TaskFailed].Add(1)
	case o.IsError:
		c.Ended[labels.TaskToolError].Add(1)
	default:
		c.Ended[labels.TaskCompleted].Add(1)
	}
}

// conclude writes the outcome of a run into a record, and reports whether it has changed the body.
func (r *Run) conclude(t *task.Record, o *Outcome) (body bool) {
	now := time.Now()
	t.Touch(now)
	switch {
	case o.Asked != nil:
		t.Status, t.Asked = task.InputRequired, o.Asked
		if failpoint.On("task-question-drops-checkpoint") {
			t.Checkpoint = nil
		}
		return true
	case o.Again:
		t.Release(now.Add(againAfter))
		t.Begun = false
		return false
	case o.Stopped && t.Restart:
		t.Release(now)
		t.Begun = false
		return false
	case o.Stopped && failpoint.On("task-once-moves"):
		t.Begun = false
		return false
	case o.Stopped:
		interrupt(t)
		return true
	}
	dropInput(t)
	if o.Error != nil {
		t.Status, t.Error, t.Message = task.Failed, o.Error.AppendJSON(nil), cutMessage(o.Error.Message)
		return true
	}
	if o.Message != "" {
		t.Message = cutMessage(o.Message)
	}
	t.Status, t.Result, t.IsError = task.Completed, o.Result, o.IsError
	return true
}

// dropInput removes from the record of a task that ends what only its handler needs.
func dropInput(t *task.Record) {
	t.Args, t.Meta, t.Checkpoint, t.Asked, t.Answers = nil, nil, nil, nil, nil
}

// interrupt makes a task fail whose run has ended without a known outcome.
func interrupt(t *task.Record) {
	t.Touch(time.Now())
	dropInput(t)
	t.Status, t.Error, t.Message = task.Failed, interrupted, "interrupted"
}

// cutMessage shortens a text to the length of a status message.
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
