package server

import (
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskProgress is what the handler of a task of 2025-11-25 reports, whose client has given a progress token
// (basic/utilities/progress, for task-augmented requests). The reports go to the sessions of this process that follow
// the task, among their notifications. 2026-07-28 has no progress of tasks.
type taskProgress struct {
	mu   sync.Mutex
	held *protocol.ProgressNotificationParams // the newest that no session has got
}

// report sends a report, or keeps it for a session that comes to follow the task.
func (x *running) report(p *protocol.ProgressNotificationParams) {
	x.progress.mu.Lock()
	defer x.progress.mu.Unlock()
	if x.progress.held != nil {
		x.t.unreported.Add(1)
	}
	x.progress.held = p
	x.sendHeldLocked()
}

// sendHeldLocked sends the report that is kept to all who follow the task.
func (x *running) sendHeldLocked() {
	p := x.progress.held
	if p == nil {
		return
	}
	for _, source := range x.t.s.host.Hub.Sources(taskTopic + x.record.ID) {
		if to, ok := source.Authorizer.(*sessionTasks); ok && to.report(x, p) {
			x.progress.held = nil
		}
	}
}

// begins notes that the handler of a task runs here. ends says that it does not any more: what was not sent is lost.
func (t *tasks) begins(x *running) (ends func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current[taskTopic+x.record.ID] = x
	return func() {
		t.mu.Lock()
		if topic := taskTopic + x.record.ID; t.current[topic] == x { // else the next run of the same task
			delete(t.current, topic)
		}
		t.mu.Unlock()
		x.progress.mu.Lock()
		defer x.progress.mu.Unlock()
		if x.progress.held != nil {
			t.unreported.Add(1)
		}
	}
}

// catchUp sends what the handler of a task has reported before a session came to follow it.
func (t *tasks) catchUp(topic string) {
	t.mu.Lock()
	x := t.current[topic]
	t.mu.Unlock()
	if x == nil {
		return
	}
	go func() { // writing may wait for the client
		x.progress.mu.Lock()
		defer x.progress.mu.Unlock()
		x.sendHeldLocked()
	}()
}

// live reports whether there may be reports: the task has not ended, as far as this process knows.
func (x *running) live() bool { return x.ctx.Err() == nil && !x.responded.Load() }

// report sends a report about a task to the client of a session. It is false if nobody reads its notifications now, or
// its caller may not know of the task. A report that is not greater than one of an earlier run is left out: to clients
// all runs are one operation.
func (x *sessionTasks) report(run *running, p *protocol.ProgressNotificationParams) bool {
	who := x.who.caller()
	if x.who.postpones() || !x.t.permits(who, principalOfSubject(who.Subject), &run.record.Head) {
		return false
	}
	b := wire.AppendNotification(nil, protocol.MethodNotificationsProgress)
	b = append(p.AppendJSON(b, era.NewestLegacy), "}\n"...)
	taken := false
	err := x.who.c.Outbox().WriteUpdate(b, func() bool { // from here on nothing about the end of the task is written
		taken = true
		return run.live() && x.increases(taskTopic+run.record.ID, p.Progress)
	})
	return err == nil && taken
}

// increases reports whether done is more than what a task was reported to have done.
func (x *sessionTasks) increases(topic string, done float64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.indexLocked(topic)
	if i < 0 || x.tasks[i].reported && done <= x.tasks[i].done {
		return false
	}
	x.tasks[i].reported, x.tasks[i].done = true, done
	return true
}

// progressOf reads the notification of a report; nil if it is another one.
func progressOf(frame []byte, id string) *protocol.ProgressNotificationParams {
	d := wire.NewDecoder(frame)
	p := new(protocol.ProgressNotificationParams)
	isProgress := false
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "method":
			isProgress = d.String() == protocol.MethodNotificationsProgress
		case "params":
			p.DecodeJSON(&d, era.NewestServed)
		default:
			d.Skip()
		}
	}
	if d.Err() != nil || !isProgress {
		return nil
	}
	p.Meta = &protocol.NotificationMetaObject{Extra: related(id)}
	return p
}
