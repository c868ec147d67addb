package tasks

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

// sessionTasks has the tasks that calls of a session of 2025-11-25 have made. Its client is told of their changes
// (basic/utilities/tasks, status notifications). It implements [pubsub.Authorizer]. Authorize reads the head of a task,
// because the notification is written afterwards under a lock, and no holder of that lock may wait for a store.
type sessionTasks struct {
	t *Tasks
	c *session.Conn

	mu     sync.Mutex
	tasks  []sessionTask // the oldest first
	shared []string      // the ids of the last call of [Tasks.FollowOnly]
	next   protocol.Task // the task of the notification that is written next
}

// sessionTask is an element of sessionTasks.
type sessionTask struct {
	id       string
	ended    bool
	polled   bool    // the client has learned from tasks/get that the task waits for input
	reported bool    // the client has got progress
	done     float64 // the highest progress that it has got
}

// isNew reports whether a task has not changed since its client got it as the result of its call.
func isNew(h *task.Head) bool {
	return h.Status == task.Working && h.Message == "" && h.Updated.Equal(h.Created)
}

// Reset implements [pipeline.Operation]. It is called once the client has got the task, and makes the session follow
// the task.
func (op *creation) Reset() {
	c := op.p.Worker.Conn
	if op.record == nil || op.p.Worker.Rev != era.NewestLegacy || !c.Notifies() {
		return
	}
	if k := c.Keeper(); k != nil {
		k.Follow(topic(op.record.ID).Text())
		return
	}
	op.t.Follow(c, op.record.ID)
}

// Follow notifies the client of a session when a task changes. Such notifications are optional, so none are sent if
// there is no room for the subscription. It does not block.
func (t *Tasks) Follow(c *session.Conn, id string) {
	source := t.sourceOf(c)
	x, _ := source.Authorizer.(*sessionTasks)
	left, known := x.add(id)
	if known {
		return
	}
	if left.id != "" {
		c.Streams().Part(topic(left.id))
	}
	if left.id != "" && !left.ended {
		t.notFollowed.Add(1)
	}
	failed := func(err error) {
		t.notFollowed.Add(1)
		c.Log.Debug("mcp: no notifications about a task", "err", err)
	}
	if err := c.Streams().Join(pubsub.Request{Topic: topic(id), Source: source}, failed); err != nil {
		failed(err)
		return
	}
	t.running.catchUp(id)
}

// Unfollowed counts n tasks whose changes the client of a session is not told of.
func (t *Tasks) Unfollowed(n int) { t.notFollowed.Add(int64(n)) }

// FollowOnly makes a session follow the tasks that other processes know for it. It ends the notifications about tasks
// of an earlier call of FollowOnly that are no longer among ids.
func (t *Tasks) FollowOnly(c *session.Conn, ids []string) {
	if len(ids) == 0 && !c.HasOutgoing() {
		return
	}
	added, left := t.of(c).share(ids)
	for _, id := range left {
		c.Streams().Part(topic(id))
	}
	for _, id := range added {
		t.Follow(c, id)
	}
}

// of returns the tasks of a session.
func (t *Tasks) of(c *session.Conn) *sessionTasks {
	x, _ := t.sourceOf(c).Authorizer.(*sessionTasks)
	return x
}

// sourceOf returns the [pubsub.Source] of the subscriptions to the tasks of a session.
func (t *Tasks) sourceOf(c *session.Conn) *pubsub.Source {
	return c.Sources().Of(nil, func() *pubsub.Source {
		x := &sessionTasks{t: t, c: c}
		return t.source(x, x.appendStatus)
	})
}

// share sets the tasks that other processes know for the session. It returns the new ones, and those that are no longer
// among ids, which it removes. A task that has expired does not become new again.
func (x *sessionTasks) share(ids []string) (added, left []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range x.shared {
		if i := x.indexLocked(id); i >= 0 && !slices.Contains(ids, id) {
			left, x.tasks = append(left, id), slices.Delete(x.tasks, i, i+1)
		}
	}
	for _, id := range ids {
		if !slices.Contains(x.shared, id) {
			added = append(added, id)
		}
	}
	x.shared = slices.Clone(ids)
	return added, left
}

// add adds a task, unless it is known. It returns the task whose place it takes; the zero value if there is room.
func (x *sessionTasks) add(id string) (left sessionTask, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.indexLocked(id) >= 0 {
		return sessionTask{}, true
	}
	if len(x.tasks) >= session.MaxTasks {
		i := max(slices.IndexFunc(x.tasks, func(s sessionTask) bool { return s.ended }), 0)
		left = x.tasks[i]
		x.tasks = slices.Delete(x.tasks, i, i+1)
	}
	x.tasks = append(x.tasks, sessionTask{id: id})
	return left, false
}

// Authorize implements [pubsub.Authorizer].
func (x *sessionTasks) Authorize(id string) pubsub.Decision {
	h, ok, gone := x.t.notices.read(id)
	if gone {
		x.forget(id)
	}
	if !ok || isNew(h) || x.c.Lapses() {
		return pubsub.Postpone
	}
	if who := x.c.LastCaller(); !x.t.permits(who, principalOfSubject(who.Subject), h) {
		return pubsub.Postpone
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next = x.t.legacyTask(h) // appendStatus comes before the next Authorize: one goroutine calls both
	if i := x.indexLocked(id); i >= 0 {
		x.tasks[i].ended = h.Status.Final()
	}
	return pubsub.Deliver
}

// forget ends the notifications about a task that has expired.
func (x *sessionTasks) forget(id string) {
	x.c.Streams().Part(topic(id))
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.indexLocked(id); i >= 0 {
		x.tasks = slices.Delete(x.tasks, i, i+1)
	}
}

func (x *sessionTasks) indexLocked(id string) int {
	return slices.IndexFunc(x.tasks, func(s sessionTask) bool { return s.id == id })
}

// appendStatus implements [pubsub.Source].Append: it appends the notification about the task that was last authorized.
func (x *sessionTasks) appendStatus(b []byte, _ string) ([]byte, *pubsub.Rest) {
	x.mu.Lock()
	now := x.next
	x.mu.Unlock()
	p := protocol.TaskStatusNotificationParams{
		TaskID: now.TaskID, Status: now.Status, CreatedAt: now.CreatedAt, LastUpdatedAt: now.LastUpdatedAt,
		TTL: now.TTL, PollInterval: now.PollInterval, StatusMessage: now.StatusMessage,
	}
	b = wire.AppendNotification(b, protocol.MethodNotificationsTasksStatus)
	return append(p.AppendJSON(b, era.NewestLegacy), "}\n"...), nil
}
