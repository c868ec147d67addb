package tasks

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/taskrun"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskCall is the call that the server makes to run the handler of a task. It implements [call.TaskRun], and takes the
// response as [call.ResponseWriter] and [engine.Flusher].
type taskCall struct {
	*taskrun.Run
	t         *Tasks
	ctx       context.Context // of the handler
	record    task.Record     // without its body
	request   session.Internal
	progress  taskProgress
	responded atomic.Bool
	waits     atomic.Bool // the call found no room in the concurrency limit of its tool
	begun     bool        // the server has taken the request; set before anyone else can respond to it

	handler   taskrun.Outcome // how the handler has ended, without the text of its result
	preempted *wire.Error     // why there is a response in place of the handler's; nil if there is none
}

// Busy implements [call.TaskRun].
func (x *taskCall) Busy() { x.waits.Store(true) }

// Preempted implements [call.TaskRun].
func (x *taskCall) Preempted(fault *wire.Error) { x.preempted = fault }

// Revision implements [call.TaskRun].
func (x *taskCall) Revision() protocol.Revision {
	if x.record.Revision == era.NewestLegacy.String() {
		return era.NewestLegacy
	}
	return era.NewestServed
}

// run implements taskrun.Config.Run. It makes the tool call that a record describes, as a request of the newest
// revision.
func (t *Tasks) run(ctx context.Context, r *taskrun.Run) {
	x := &taskCall{Run: r, t: t, ctx: ctx, record: r.Record()}
	defer t.running.begin(x)()
	p := &protocol.CallToolRequestParams{
		Name: x.record.Tool, Arguments: x.record.Args, Meta: new(protocol.RequestMetaObject),
		InputResponses: x.record.Answers,
	}
	d := wire.NewDecoder(x.record.Meta)
	p.Meta.DecodeJSON(&d, era.NewestServed)
	x.request = session.Internal{
		ID: wire.StringID(x.record.ID), Method: protocol.MethodToolsCall, Revision: era.NewestServed,
		Target: x.record.Tool, Meta: x.record.Meta,
		Answer: func(w *session.Worker, h session.Handler, b []byte) ([]byte, error) {
			x.begun = true
			reply, err := h.CallTool(w.Values(), p)
			if err != nil {
				return b, err
			}
			x.handler = outcomeOf(reply)
			return reply.AppendJSON(b, w.Rev), nil
		},
	}
	x.record.Body = task.Body{} // the run has it
	who := call.Caller{Subject: x.record.Subject, Scopes: x.record.Scopes, Roles: x.record.Roles}
	t.Host.Perform(call.WithTask(ctx, x), &x.request, who, x)
}

// decodeAnswers decodes the answers that a record has.
func decodeAnswers(text []byte) wire.Map[protocol.InputResponse] {
	if text == nil {
		return nil
	}
	d := wire.NewDecoder(text)
	return wire.DecodeUnionMap(&d, era.OldestModern, protocol.DecodeInputResponse)
}

// outcomeOf returns how the handler of a task has ended, without the text of its result.
func outcomeOf(reply protocol.CallToolReply) (o taskrun.Outcome) {
	switch r := reply.(type) {
	case *protocol.InputRequiredResult:
		o.Asked = wire.AppendUnionMap(nil, era.NewestServed, r.InputRequests, protocol.AppendInputRequest)
	case *protocol.CallToolResult:
		if o.IsError = feature.IsTrue(r.IsError); !o.IsError {
			break
		}
		for _, block := range r.Content {
			if text, ok := block.(*protocol.TextContent); ok {
				o.Message = text.Text
				break
			}
		}
	}
	return o
}

// Report implements [call.TaskRun]: it sends a report of progress, or keeps it for a session that follows the task
// later. A kept report is replaced by the next one. Report returns false if the task has ended.
func (x *taskCall) Report(p protocol.ProgressNotificationParams) bool {
	if !x.live() {
		return false
	}
	p.Meta = &protocol.NotificationMetaObject{Extra: related(x.record.ID)}
	x.progress.mu.Lock()
	defer x.progress.mu.Unlock()
	if x.progress.held != nil {
		x.t.running.unreported.Add(1)
	}
	x.progress.held = &p
	x.sendHeldLocked()
	return true
}

// Notify implements [call.ResponseWriter]: clients get no other messages about the call of a task.
func (x *taskCall) Notify([]byte) error { return engine.ErrEnded }

// Respond implements [call.ResponseWriter]: the response is the outcome of the run.
func (x *taskCall) Respond(frame []byte, code int) error {
	return x.end(x.handler, x.request.Fault, frame, code)
}

// RespondNow implements [engine.Flusher]: the response comes from [call.Call.Preempt].
func (x *taskCall) RespondNow(frame []byte, code int) error {
	return x.end(taskrun.Outcome{}, x.preempted, frame, code)
}

// end ends the run with a response. fault is not nil if the response is an error, or a result that says that a limit
// was exceeded.
func (x *taskCall) end(o taskrun.Outcome, fault *wire.Error, frame []byte, code int) error {
	if x.responded.Swap(true) {
		return nil
	}
	switch {
	case x.waits.Load(), !x.begun && fault == engine.ErrShutdown: // the handler has not run
		o = taskrun.Outcome{Again: true}
	case code != 0:
		o = taskrun.Outcome{Error: fault, Stopped: fault == engine.ErrShutdown}
	case fault != nil:
		o = taskrun.Outcome{IsError: true, Message: fault.Message, Result: x.resultIn(frame)}
	case o.Asked == nil:
		o.Result = x.resultIn(frame)
	case !x.record.Restart:
		o = taskrun.Outcome{Error: errAsksOnce}
	}
	x.End(o)
	return nil
}

// resultIn returns a copy of the result in a response.
func (x *taskCall) resultIn(frame []byte) []byte {
	begin := len(wire.AppendResult(nil, x.request.ID))
	return bytes.Clone(frame[begin : len(frame)-len("}")])
}

// errAsksOnce is the error of a task that asks the client although it must not run again.
var errAsksOnce = wire.NewError(wire.CodeInternal,
	"the tool asks the client and must not run twice: it needs task=restart")

// taskProgress is the progress that the handler of a task of 2025-11-25 reports, if the client has given a progress
// token (basic/utilities/progress, for task-augmented requests). The reports go to the sessions of this process that
// follow the task, among their notifications. 2026-07-28 has no progress of tasks.
type taskProgress struct {
	mu   sync.Mutex
	held *protocol.ProgressNotificationParams // the newest report, if no session has got it
}

// sendHeldLocked sends the newest report to all sessions that follow the task.
func (x *taskCall) sendHeldLocked() {
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

// running has the calls of the tasks that run in this process. It is safe for concurrent use.
type running struct {
	unreported atomic.Int64 // reports of progress that no client got

	mu    sync.Mutex
	calls map[string]*taskCall // by the ids of their tasks
}

// begin notes that the handler of a task runs, until done is called. A report of progress that was not sent by then is
// lost.
func (r *running) begin(x *taskCall) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[x.record.ID] = x
	return func() {
		r.mu.Lock()
		if r.calls[x.record.ID] == x { // else the next run of the same task
			delete(r.calls, x.record.ID)
		}
		r.mu.Unlock()
		x.progress.mu.Lock()
		defer x.progress.mu.Unlock()
		if x.progress.held != nil {
			r.unreported.Add(1)
		}
	}
}

// catchUp sends what the handler of a task has reported before a session came to follow it.
func (r *running) catchUp(id string) {
	r.mu.Lock()
	x := r.calls[id]
	r.mu.Unlock()
	if x == nil {
		return
	}
	go func() { // writing may wait for the client
		x.progress.mu.Lock()
		defer x.progress.mu.Unlock()
		x.sendHeldLocked()
	}()
}

// live reports whether the task may still report progress: it has not ended, as far as this process knows.
func (x *taskCall) live() bool { return x.ctx.Err() == nil && !x.responded.Load() }

// report sends a report about a task to the client of a session. It returns false if nobody reads its notifications
// now, or if its caller may not know of the task. For clients all runs are one operation, so a report is left out if
// its progress is not greater than what an earlier run has reported.
func (x *sessionTasks) report(run *taskCall, p *protocol.ProgressNotificationParams) bool {
	who := x.c.LastCaller()
	if x.c.Lapses() || !x.t.permits(who, principalOfSubject(who.Subject), &run.record.Head) {
		return false
	}
	b := wire.AppendNotification(nil, protocol.MethodNotificationsProgress)
	b = append(p.AppendJSON(b, era.NewestLegacy), "}\n"...)
	taken := false
	err := x.c.Outbox().WriteUpdate(b, func() bool { // between this check and b, the end of the task is not written
		taken = true
		return run.live() && x.increases(run.record.ID, p.Progress)
	})
	return err == nil && taken
}

// increases reports whether done, the progress of a task, is more than the client was told before, and notes it if so.
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
