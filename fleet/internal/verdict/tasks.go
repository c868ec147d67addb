package verdict

import (
	"fmt"
	"maps"
	"slices"
)

// The kinds of what can be wrong with tasks.
const (
	// TaskGone is a task that the server has confirmed, and of which it does not know.
	TaskGone Kind = "confirmed task is unknown"
	// TaskOpen is a task that has not ended when all should have.
	TaskOpen Kind = "task without an end"
	// TaskChanged is a task whose end is not the same each time that somebody asks.
	TaskChanged Kind = "task changed after its end"
	// TaskWrong is a task that has ended as it must not: with another result, failed or cancelled for no reason.
	TaskWrong Kind = "task with a wrong end"
	// TaskTwice is a task that must not run twice and did.
	TaskTwice Kind = "task ran twice"
)

// Tasks judges the tasks of all clients of one run. It is safe for concurrent use.
type Tasks struct {
	c *Checker

	// All guarded by c.mu.
	byID map[string]*taskState
}

// taskState is what is known of a task.
type taskState struct {
	key       string
	once      bool // it must not run twice
	cancelled bool // somebody has asked for that
	end       *TaskEnd
}

// TaskEnd is how a task has ended.
type TaskEnd struct {
	// Status is completed, failed or cancelled.
	Status string
	// Text is the text of the result or the message of the error.
	Text string
}

// Interrupted is the message of a task that must not run twice and whose process has ended.
const Interrupted = "interrupted"

// Tasks returns the judge of the tasks.
func (c *Checker) Tasks() *Tasks {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = &Tasks{c: c, byID: map[string]*taskState{}}
	}
	return c.tasks
}

// Created says that the server has confirmed a task. Key is what it was given to return.
func (t *Tasks) Created(id, key string, once bool) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.c.totals.Tasks++
	if t.byID[id] != nil {
		t.wrong(TaskWrong, id, "an id of two tasks")
	}
	t.byID[id] = &taskState{key: key, once: once}
}

// Cancel says that somebody is about to ask that a task is cancelled.
func (t *Tasks) Cancel(id string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.cancelled = true
	}
}

// Seen says what the server has said about a task: how it has ended, or nil if it has not.
func (t *Tasks) Seen(id string, end *TaskEnd) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	s := t.byID[id]
	switch {
	case s == nil:
	case s.end != nil && (end == nil || *end != *s.end):
		t.wrong(TaskChanged, id, fmt.Sprintf("from %v to %v", s.end, end))
	case end != nil && s.end == nil:
		s.end = end
	}
}

// Unknown says that the server does not know a task.
func (t *Tasks) Unknown(id string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.wrong(TaskGone, id, "")
}

// Open returns the ids of tasks that have not ended as far as is known.
func (t *Tasks) Open() []string {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	var out []string
	for _, id := range slices.Sorted(maps.Keys(t.byID)) {
		if t.byID[id].end == nil {
			out = append(out, id)
		}
	}
	return out
}

// Judge records what is wrong with the tasks of the run, when all of them should have ended. Runs says how often the
// handlers have begun for each key, those of tasks that were never confirmed included, and once of which keys no more
// than one may.
func (t *Tasks) Judge(runs map[string]int, once func(key string) bool) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(runs)) {
		if once(key) && runs[key] > 1 {
			t.wrong(TaskTwice, key, fmt.Sprint(runs[key], " times"))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.byID)) {
		s := t.byID[id]
		if s.end == nil {
			t.wrong(TaskOpen, id, "key "+s.key)
		} else if why := s.wrongEnd(runs[s.key]); why != "" {
			t.wrong(TaskWrong, id, fmt.Sprintf("key %s, %s, %q: %s", s.key, s.end.Status, s.end.Text, why))
		}
	}
}

// Result is the text that the handler of a task returns for a key.
func Result(key string) string { return "done " + key }

// wrongEnd says why a task may not end as it did, whose handler has begun so often; "" if it may.
func (s *taskState) wrongEnd(runs int) string {
	switch s.end.Status {
	case "completed":
		if s.end.Text != Result(s.key) {
			return "another result"
		}
		if runs == 0 {
			return "it never ran"
		}
	case "cancelled":
		if !s.cancelled {
			return "nobody asked for that"
		}
	case "failed":
		if !s.once || s.end.Text != Interrupted {
			return "it may run again, or this is no reason"
		}
	default:
		return "no such state"
	}
	return ""
}

// Ends returns how many tasks have ended in each way.
func (t *Tasks) Ends() map[string]int {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	out := map[string]int{}
	for _, s := range t.byID {
		if s.end != nil {
			out[s.end.Status]++
		}
	}
	return out
}

// wrong records a violation. The caller holds c.mu.
func (t *Tasks) wrong(kind Kind, what, text string) {
	t.c.record(Violation{At: t.c.now(), Client: "tasks", Kind: kind, URI: what, Text: text})
}
