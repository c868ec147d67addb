package server

import (
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// sessionTasks are the tasks that calls of a session of 2025-11-25 have made, whose changes its client is told of
// (basic/utilities/tasks, status notifications). It implements [pubsub.Authorizer]: it reads the head before the
// notification about it is written, because writing must not wait for a store.
type sessionTasks struct {
	t   *tasks
	who deliveryAuthorizer // the caller whose rights count

	mu     sync.Mutex
	tasks  []sessionTask // the oldest first
	shared []string      // those that [SetSubscriptions] was called with last
	next   protocol.Task // of the notification that is written next
}

// sessionTask is one of them.
type sessionTask struct {
	topic    string
	ended    bool
	polled   bool    // the client has learned from tasks/get that the task waits for input
	reported bool    // the client has got progress
	done     float64 // the highest of that
}

// isNew reports whether a task is as the client got it as the result of its call.
func isNew(h *task.Head) bool {
	return h.Status == task.Working && h.Message == "" && h.Updated.Equal(h.Created)
}

// reset implements operation: from here on the client knows of the task.
func (op *creation) Reset() {
	c := op.w.Conn
	if op.record == nil || op.w.Rev != era.NewestLegacy || !c.Notifies() {
		return
	}
	topic := taskTopic + op.record.ID
	if k := c.Keeper(); k != nil {
		k.Follow(topic)
		return
	}
	op.t.follow(c, topic)
}

// follow implements [TaskSupport]. Notifications are optional: without room there are none.
func (t *tasks) follow(c *session.Conn, topic string) {
	source := t.sourceOf(c)
	x, _ := source.Authorizer.(*sessionTasks)
	left, known := x.add(topic)
	if known {
		return
	}
	if left.topic != "" {
		c.Streams().Part(left.topic)
	}
	if left.topic != "" && !left.ended {
		t.notFollowed.Add(1)
	}
	q := pubsub.Request{Topic: pubsub.Topic{URI: topic}, Source: source}
	failed := func(err error) {
		t.notFollowed.Add(1)
		c.Log.Debug("mcp: no notifications about a task", "err", err)
	}
	if err := c.Streams().Join(q, failed); err != nil {
		failed(err)
		return
	}
	t.catchUp(topic)
}

// unfollowed implements [TaskSupport].
func (t *tasks) unfollowed(n int) { t.notFollowed.Add(int64(n)) }

// followOnly implements [TaskSupport].
func (t *tasks) followOnly(c *session.Conn, topics []string) {
	if len(topics) == 0 && !c.HasOutgoing() {
		return
	}
	x, _ := t.sourceOf(c).Authorizer.(*sessionTasks)
	added, left := x.share(topics)
	for _, topic := range left {
		c.Streams().Part(topic)
	}
	for _, topic := range added {
		t.follow(c, topic)
	}
}

// sourceOf returns what the tasks of a session have in common.
func (t *tasks) sourceOf(c *session.Conn) *pubsub.Source {
	return c.Sources().Of(nil, func() *pubsub.Source {
		x := &sessionTasks{t: t, who: deliveryAuthorizer{c: c, s: t.s, rev: era.NewestLegacy}}
		source := &pubsub.Source{Authorizer: x}
		if t.s.opts.Tasks.Store != nil {
			source.Open = t.watch
		}
		return source
	})
}

// share makes topics the tasks that other processes know of. Of these it returns the new ones, and those that are not
// among them any more and are forgotten. One that has expired is not new again.
func (x *sessionTasks) share(topics []string) (added, left []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, topic := range x.shared {
		if i := x.indexLocked(topic); i >= 0 && !slices.Contains(topics, topic) {
			left, x.tasks = append(left, topic), slices.Delete(x.tasks, i, i+1)
		}
	}
	for _, topic := range topics {
		if !slices.Contains(x.shared, topic) {
			added = append(added, topic)
		}
	}
	x.shared = slices.Clone(topics)
	return added, left
}

// add adds a task, unless it is known, and returns the one whose place it takes; the zero value if there is room.
func (x *sessionTasks) add(topic string) (left sessionTask, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.indexLocked(topic) >= 0 {
		return sessionTask{}, true
	}
	if len(x.tasks) >= maxSessionTasks {
		i := max(slices.IndexFunc(x.tasks, func(s sessionTask) bool { return s.ended }), 0)
		left = x.tasks[i]
		x.tasks = slices.Delete(x.tasks, i, i+1)
	}
	x.tasks = append(x.tasks, sessionTask{topic: topic})
	return left, false
}

// Authorize implements [pubsub.Authorizer].
func (x *sessionTasks) Authorize(topic string) pubsub.Decision {
	h, ok, gone := x.t.notices.read(topic)
	if gone {
		x.forget(topic)
	}
	if !ok || isNew(h) || x.who.postpones() {
		return pubsub.Postpone
	}
	if who := x.who.caller(); !x.t.permits(who, principalOfSubject(who.Subject), h) {
		return pubsub.Postpone
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next = x.t.legacyTask(h) // its notification comes before the next question: one goroutine asks and writes
	if i := x.indexLocked(topic); i >= 0 {
		x.tasks[i].ended = h.Status.Final()
	}
	return pubsub.Deliver
}

// forget ends the notifications about a task that has expired.
func (x *sessionTasks) forget(topic string) {
	x.who.c.Streams().Part(topic)
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.indexLocked(topic); i >= 0 {
		x.tasks = slices.Delete(x.tasks, i, i+1)
	}
}

func (x *sessionTasks) indexLocked(topic string) int {
	return slices.IndexFunc(x.tasks, func(s sessionTask) bool { return s.topic == topic })
}

// appendStatus implements [TaskSupport].
func (t *tasks) appendStatus(b []byte, e *streamEncoder) []byte {
	x, _ := t.sourceOf(e.c).Authorizer.(*sessionTasks)
	x.mu.Lock()
	now := x.next
	x.mu.Unlock()
	p := protocol.TaskStatusNotificationParams{
		TaskID: now.TaskID, Status: now.Status, CreatedAt: now.CreatedAt, LastUpdatedAt: now.LastUpdatedAt,
		TTL: now.TTL, PollInterval: now.PollInterval, StatusMessage: now.StatusMessage,
	}
	b = wire.AppendNotification(b, protocol.MethodNotificationsTasksStatus)
	return append(p.AppendJSON(b, e.rev), "}\n"...)
}
