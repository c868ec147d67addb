package server

import (
	"context"
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
	t         *tasks
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
func (t *tasks) run(ctx context.Context, r *taskrun.Run) {
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
	t.s.host.Exchange(context.WithValue(ctx, call.TaskRunKey{}, call.TaskRun(x)), &e, who, x)
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
