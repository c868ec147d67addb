package tasks

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/taskrun"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// running implements [call.TaskRun] and is the [call.ResponseWriter] of the call that the server makes to run the
// handler of a task.
type running struct {
	*taskrun.Run
	t         *Tasks
	ctx       context.Context // of the handler
	record    task.Record
	progress  taskProgress
	responded atomic.Bool
	waits     atomic.Bool // for the concurrency of its tool

	interrupted atomic.Bool // the response is about the end of the server
}

// Busy implements [call.TaskRun].
func (x *running) Busy() { x.waits.Store(true) }

// Interrupted implements [call.TaskRun].
func (x *running) Interrupted() { x.interrupted.Store(true) }

// Revision implements [call.TaskRun].
func (x *running) Revision() protocol.Revision {
	if x.record.Revision == era.NewestLegacy.String() {
		return era.NewestLegacy
	}
	return era.NewestServed
}

// run implements taskrun.Config.Run: it makes the tool call of a record, as a request of the newest revision.
func (t *Tasks) run(ctx context.Context, r *taskrun.Run) {
	x := &running{Run: r, t: t, ctx: ctx, record: r.Record()}
	defer t.begins(x)()
	p := protocol.CallToolRequestParams{Name: x.record.Tool, Arguments: x.record.Args,
		Meta: new(protocol.RequestMetaObject)}
	d := wire.NewDecoder(x.record.Meta)
	p.Meta.DecodeJSON(&d, era.NewestServed)
	p.InputResponses = decodeAnswers(x.record.Answers)
	id := wire.StringID(x.record.ID)
	room := make([]byte, 0, 512+len(x.record.Args)+len(x.record.Meta)+len(x.record.Answers)) // no second copy
	text := p.AppendJSON(wire.AppendRequest(room, id, protocol.MethodToolsCall), era.NewestServed)
	text = append(text, '}')
	args, _ := wire.Lookup(text, "params", "arguments")
	r.ShareArgs(args)
	x.record.Body = task.Body{} // the run has it
	p = protocol.CallToolRequestParams{}
	e := session.OpenEnvelope(text)
	who := call.Caller{Subject: x.record.Subject, Scopes: x.record.Scopes, Roles: x.record.Roles}
	t.Host.Exchange(context.WithValue(ctx, call.TaskRunKey{}, call.TaskRun(x)), &e, who, x)
}

// decodeAnswers reads answers of a record.
func decodeAnswers(text []byte) wire.Map[protocol.InputResponse] {
	if text == nil {
		return nil
	}
	d := wire.NewDecoder(text)
	return wire.DecodeUnionMap(&d, era.OldestModern, protocol.DecodeInputResponse)
}

// Notify implements [call.ResponseWriter]. Of the messages about the call of a task, clients of 2025-11-25 get its
// progress.
func (x *running) Notify(frame []byte) error {
	p := progressOf(frame, x.record.ID)
	if p == nil || !x.live() {
		return engine.ErrEnded
	}
	x.report(p)
	return nil
}

// Respond implements [call.ResponseWriter]: the response is the outcome of the run.
func (x *running) Respond(frame []byte, code int) error {
	frame = append([]byte(nil), frame...)
	if x.responded.Swap(true) {
		return nil
	}
	x.End(x.outcome(frame, code))
	return nil
}

func (x *running) outcome(frame []byte, code int) (o taskrun.Outcome) {
	if x.waits.Load() {
		return taskrun.Outcome{Again: true}
	}
	if code != 0 {
		raw, _ := wire.Lookup(frame, "error")
		d := wire.NewDecoder(raw)
		o.Error = new(wire.Error)
		o.Error.DecodeJSON(&d)
		o.Stopped = x.interrupted.Load()
		return o
	}
	result, _ := wire.Lookup(frame, "result")
	if kind, _ := wire.Lookup(result, "resultType"); string(kind) == `"`+string(protocol.ResultTypeInputRequired)+`"` {
		if !x.record.Restart {
			o.Error = errAsksOnce
			return o
		}
		o.Asked, _ = wire.Lookup(result, "inputRequests")
		return o
	}
	failed, _ := wire.Lookup(result, "isError")
	o.Result, o.IsError = result, string(failed) == "true"
	if o.IsError {
		o.Message = firstText(result)
	}
	return o
}

// firstText is the first text in the content of a result; "" if it has none.
func firstText(result []byte) string {
	content, _ := wire.Lookup(result, "content")
	d := wire.NewDecoder(content)
	if d.Kind() != wire.KindArray || !d.Array() {
		return ""
	}
	for d.More() {
		block := d.Raw()
		if kind, _ := wire.Lookup(block, "type"); string(kind) == `"text"` {
			text, _ := wire.Lookup(block, "text")
			of := wire.NewDecoder(text)
			return of.String()
		}
	}
	return ""
}

// errAsksOnce ends a task that asks and must not run again.
var errAsksOnce = wire.NewError(wire.CodeInternal,
	"the tool asks the client and must not run twice: it needs task=restart")

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
	for _, source := range x.t.Host.Hub.Sources(topic(x.record.ID)) {
		if to, ok := source.Authorizer.(*sessionTasks); ok && to.report(x, p) {
			x.progress.held = nil
		}
	}
}

// begins notes that the handler of a task runs here. ends says that it does not any more: what was not sent is lost.
func (t *Tasks) begins(x *running) (ends func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current[x.record.ID] = x
	return func() {
		t.mu.Lock()
		if t.current[x.record.ID] == x { // else the next run of the same task
			delete(t.current, x.record.ID)
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
func (t *Tasks) catchUp(id string) {
	t.mu.Lock()
	x := t.current[id]
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
	who := x.c.LastCaller()
	if x.c.Lapses() || !x.t.permits(who, principalOfSubject(who.Subject), &run.record.Head) {
		return false
	}
	b := wire.AppendNotification(nil, protocol.MethodNotificationsProgress)
	b = append(p.AppendJSON(b, era.NewestLegacy), "}\n"...)
	taken := false
	err := x.c.Outbox().WriteUpdate(b, func() bool { // from here on nothing about the end of the task is written
		taken = true
		return run.live() && x.increases(run.record.ID, p.Progress)
	})
	return err == nil && taken
}

// increases reports whether done is more than what a task was reported to have done.
func (x *sessionTasks) increases(id string, done float64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.indexLocked(id)
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
