package verdict

import (
	"fmt"
	"maps"
	"slices"
	"time"
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
	// TaskUntold is the end of a task that a listen, open all the time, was not told of.
	TaskUntold Kind = "end of a task not told"
	// TaskForgotten is a checkpoint that was confirmed, and that a later run did not get.
	TaskForgotten Kind = "confirmed checkpoint lost"
	// TaskForeign is a notification about a task on a listen that does not follow it.
	TaskForeign Kind = "notification about another task"
)

// Tasks judges the tasks of all clients of one run. It is safe for concurrent use.
type Tasks struct {
	c *Checker

	// All guarded by c.mu.
	byID    map[string]*taskState
	listens map[int]*taskListen // those that have not ended
	listen  int                 // the number of the last one
	told    map[string]bool     // violations
}

// taskListen is a listen for one task.
type taskListen struct {
	id   string
	told bool // of its end
}

// taskState is what is known of a task.
type taskState struct {
	key       string
	once      bool // it must not run twice
	safe      bool // nothing has happened to the replica that runs it
	cancelled bool // somebody has asked for that
	end       *TaskEnd
	seen      time.Time // when it was seen first
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
		c.tasks = &Tasks{c: c, byID: map[string]*taskState{}, listens: map[int]*taskListen{}, told: map[string]bool{}}
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

// Safe says that nothing happens to the replica that has a task.
func (t *Tasks) Safe(id string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.safe = true
	}
}

// Forgotten records confirmed checkpoints that were lost, by key, with what is known of them.
func (t *Tasks) Forgotten(keys map[string]string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		t.wrong(TaskForgotten, key, keys[key])
	}
}

// Cancel says that somebody is about to ask that a task is cancelled.
func (t *Tasks) Cancel(id string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.cancelled = true
	}
}

// Asking says that a client is about to ask for a task, and returns what takes the answer: how the task has ended, or
// nil if it has not. That it works may be said when another one is told of its end already, and get here later; it must
// not be said to who asks when the end is known.
func (t *Tasks) Asking(id string) (seen func(end *TaskEnd)) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	s := t.byID[id]
	known := s != nil && s.end != nil
	return func(end *TaskEnd) {
		t.c.mu.Lock()
		defer t.c.mu.Unlock()
		if end != nil || known {
			t.seen(id, end)
		}
	}
}

// Seen is [Tasks.Asking] with an answer that comes at once.
func (t *Tasks) Seen(id string, end *TaskEnd) { t.Asking(id)(end) }

// seen takes what the server has said about a task. The caller holds c.mu.
func (t *Tasks) seen(id string, end *TaskEnd) {
	s := t.byID[id]
	switch {
	case s == nil:
	case s.end != nil && (end == nil || *end != *s.end):
		t.wrong(TaskChanged, id, fmt.Sprintf("from %v to %v", s.end, end))
	case end != nil && s.end == nil:
		s.end, s.seen = end, t.c.now()
	}
}

// Unknown says that the server does not know a task.
func (t *Tasks) Unknown(id string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.wrong(TaskGone, id, "")
}

// Listed says which tasks a list had after a task was confirmed.
func (t *Tasks) Listed(id string, ids []string) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if !slices.Contains(ids, id) {
		t.wrong(TaskGone, id, fmt.Sprintf("not among the %d of the list", len(ids)))
	}
}

// Listening says that the server has acknowledged a listen for a task, and returns its number.
func (t *Tasks) Listening(id string) int {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.listen++
	t.listens[t.listen] = &taskListen{id: id}
	return t.listen
}

// Told says what a listen was told about a task: how it has ended, or nil if it has not. What it says about a task
// that works may be older than what others know.
func (t *Tasks) Told(listen int, id string, end *TaskEnd) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	l := t.listens[listen]
	switch {
	case l == nil || l.id != id:
		t.wrong(TaskForeign, id, "")
	case end != nil:
		l.told = true
		t.seen(id, end)
	case l.told:
		t.wrong(TaskChanged, id, "a listen was told that it works after it was told of its end")
	}
}

// Broken says that a listen has ended, so that its client expects nothing of it any more.
func (t *Tasks) Broken(listen int) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	delete(t.listens, listen)
}

// Waits reports whether an open listen was not told yet how a task has ended.
func (t *Tasks) Waits(id string) bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	for _, l := range t.listens {
		if l.id == id && !l.told {
			return true
		}
	}
	return false
}

// untold returns the tasks that have ended and of which open listens were not told that. The caller holds c.mu.
func (t *Tasks) untold() (ids []string) {
	for _, l := range t.listens {
		if s := t.byID[l.id]; s != nil && s.end != nil && !l.told {
			ids = append(ids, l.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Open returns the ids of tasks that have not ended as far as is known, or of whose end an open listen was not told.
func (t *Tasks) Open() []string {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	var out []string
	for _, id := range slices.Sorted(maps.Keys(t.byID)) {
		if t.byID[id].end == nil {
			out = append(out, id)
		}
	}
	return append(out, t.untold()...)
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
	for _, id := range t.untold() {
		t.wrong(TaskUntold, id, fmt.Sprint("key ", t.byID[id].key, ", ", t.byID[id].end.Status))
	}
	for _, id := range slices.Sorted(maps.Keys(t.byID)) {
		s := t.byID[id]
		if s.end == nil {
			t.wrong(TaskOpen, id, "key "+s.key)
		} else if why := s.wrongEnd(runs[s.key]); why != "" {
			t.wrong(TaskWrong, id, fmt.Sprintf("key %s, %s, %q, seen at %s: %s", s.key, s.end.Status, s.end.Text,
				s.seen.Format(timeForm), why))
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
		if s.safe {
			return "nothing has happened to its replica"
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

// wrong records a violation, once for each task and kind. The caller holds c.mu.
func (t *Tasks) wrong(kind Kind, what, text string) {
	mark := string(kind) + what
	if t.told[mark] {
		return
	}
	t.told[mark] = true
	t.c.record(Violation{At: t.c.now(), Client: "tasks", Kind: kind, URI: what, Text: text})
}
