package tasks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Call makes a task of a tool call, or refuses the call. It returns false for done if the call is to be answered with
// its result.
func (t *Tasks) Call(p *pipeline.Pipeline, tool *feature.Tool, params *protocol.CallToolRequestParams) (
	reply protocol.CallToolReply, done bool, err error,
) {
	if call.TaskOf(p.Worker.Values()) != nil {
		return nil, false, nil // the server's own call, which runs the handler of a task
	}
	wants := false
	switch {
	case era.IsModern(p.Worker.Rev):
		wants = declaresTasks(params.Meta)
	case p.Worker.Rev == era.NewestLegacy:
		wants = params.Task != nil
	}
	var invalid error
	switch {
	case tool.Task == feature.TaskNever && wants && !era.IsModern(p.Worker.Rev):
		invalid = wire.NewError(wire.CodeMethodNotFound, "the tool "+params.Name+" cannot run as a task")
	case tool.Task == feature.TaskNever || !wants && !tool.TaskRequired:
		return nil, false, nil
	case !wants:
		invalid = needsTask(params.Name, p.Worker.Rev)
	}
	reply, err = t.create(p, tool, params, invalid)
	return reply, true, err
}

// needsTask returns the error for a call that asks for no task, if its tool runs only as a task.
func needsTask(name string, rev protocol.Revision) *wire.Error {
	switch {
	case era.IsModern(rev):
		return errNoTasks()
	case rev == era.NewestLegacy:
		return wire.NewError(wire.CodeMethodNotFound, "the tool "+name+" runs as a task only: send params.task")
	}
	return content.InvalidParams("/name: the tool %s runs as a task only, which needs revision %s or newer", name,
		era.NewestLegacy)
}

// errNoTasks is the answer to a request whose client has not declared the extension.
func errNoTasks() *wire.Error {
	required := protocol.ClientCapabilities{}
	required.Extensions.Set(ext.ID, content.EmptyObject)
	data := required.AppendJSON([]byte(`{"requiredCapabilities":`), era.OldestModern)
	return &wire.Error{
		Code:    protocol.CodeMissingRequiredClientCapability,
		Message: "the client does not have the extension " + ext.ID,
		Data:    append(data, '}'),
	}
}

// declaresTasks reports whether the client of a request of 2026-07-28 has declared the extension for tasks.
func declaresTasks(meta *protocol.RequestMetaObject) bool {
	if meta == nil || meta.ClientCapabilities == nil {
		return false
	}
	_, ok := meta.ClientCapabilities.Extensions.Get(ext.ID)
	return ok
}

// creation is the operation of a tool call that becomes a task. Access, limits and middleware apply as to every call;
// then, in place of the handler, Run makes a record.
type creation struct {
	spec  pipeline.Spec
	p     *pipeline.Pipeline
	t     *Tasks
	tool  *feature.Tool
	asked *protocol.CallToolRequestParams

	record  *task.Record       // nil until it is made
	refusal error              // why no record could be made, which is no failure of the tool
	failed  content.ToolResult // the result of a call that failed without a task
	checked []byte             // the arguments as middleware passes them on

	replied *protocol.CallToolResult // by middleware, in place of a task
}

func (op *creation) Spec() *pipeline.Spec { return &op.spec }

func (op *creation) Absent() error { return pipeline.UnknownTool(op.spec.Target) }

// create makes a task of a tool call. If invalid is not nil, it is the error of the call; it is sent only if the caller
// has access to the tool.
func (t *Tasks) create(
	p *pipeline.Pipeline, tool *feature.Tool, params *protocol.CallToolRequestParams, invalid error,
) (protocol.CallToolReply, error) {
	op := &creation{p: p, t: t, tool: tool, asked: params, spec: pipeline.Spec{
		Guard: tool.Guard, Target: params.Name, Named: true, Meta: params.Meta, Invalid: invalid,
		Args: params.Arguments, Fresh: params.InputResponses, State: params.RequestState, Asks: true,
	}}
	if op.spec.Args == nil {
		op.spec.Args = content.EmptyObject
	}
	op.checked = op.spec.Args
	next, err := p.Perform(op)
	switch {
	case err != nil:
		return nil, err
	case next != nil:
		return next, nil
	case op.record == nil:
		return p.ToolReply(&op.failed, op.replied), nil
	}
	return t.created(p.Worker.Rev, op.record), nil
}

func (op *creation) Run(c *call.Call) error {
	if check := op.tool.Check; check != nil {
		if err := check(op.checked); err != nil {
			return err
		}
	}
	meta, err := keptMeta(op.t.Host, c)
	if err != nil {
		op.refusal = err
		return err
	}
	who := c.Caller()
	r := &task.Record{
		Head: task.Head{
			Principal: principalOf(c), Revision: c.Revision().String(), Tool: op.asked.Name,
			Subject: who.Subject, Scopes: who.Scopes, Roles: who.Roles, Restart: op.tool.Task == feature.TaskRestart,
		},
		Body: task.Body{Args: op.spec.Args, Meta: meta, Answers: call.Answers(c)},
	}
	ttl := op.t.engine.Options.TTL
	if asked := op.asked.Task; asked != nil && c.Revision() == era.NewestLegacy && asked.TTL != nil && *asked.TTL > 0 {
		ttl = max(min(ttl, time.Duration(min(*asked.TTL, ttl.Milliseconds()))*time.Millisecond), time.Second)
	}
	if err := op.t.engine.Create(c, r, ttl); err != nil {
		op.t.refused(err)
		op.refusal = op.t.failure(err)
		return op.refusal
	}
	op.record = r
	return nil
}

func (op *creation) Conclude(call *call.Call, err error) error {
	if err == nil && (op.replied == nil || op.record == nil) {
		return nil
	}
	if op.record != nil { // after the record was made, middleware has failed or replaced the result
		_, _ = op.t.engine.Cancel(context.WithoutCancel(call), op.record.ID)
		op.record = nil
	}
	if err == nil {
		return nil
	}
	op.replied = nil
	if op.refusal != nil {
		return op.refusal
	}
	op.failed, err = op.p.FailedTool(call, err)
	return err
}

func (op *creation) Params() call.Params { return op.spec.ToolParams() }

// Replace takes the arguments of the middleware, which are only checked. The record keeps those of the client, because
// the middleware runs again around each run.
func (op *creation) Replace(_ *call.Call, p call.Params) (err error) {
	op.checked, err = op.spec.ToolArguments(p)
	return err
}

func (op *creation) Reply(call *call.Call) (protocol.Reply, error) {
	return op.t.created(call.Revision(), op.record), nil
}

// Adopt takes what middleware has returned: the new task, or a result in place of it.
func (op *creation) Adopt(call *call.Call, reply protocol.Reply) (err error) {
	if _, created := reply.(protocol.Prepared); created && op.record != nil {
		return nil
	}
	op.replied, op.failed, err = pipeline.OfMiddleware(call, reply)
	return err
}

// maxKeptMeta bounds what a task keeps of the _meta of its call, in bytes.
const maxKeptMeta = 16 << 10

// keptMeta returns the _meta of the call that runs the handler of a task. It keeps what the runtime or a handler may
// read: the client's name and version, its capabilities, its settings of the extensions that the server has, in
// 2025-11-25 the progress token, and the trace of the observer. The rest may have any size, and is not kept.
func keptMeta(h *session.Host, c *call.Call) ([]byte, error) {
	able := call.RequiredCapabilities(c.Peer().Capabilities())
	if c.Peer().Can(call.Apps) {
		able.Extensions.Set(call.AppsExtension, json.RawMessage(`{"mimeTypes":["`+call.AppType+`"]}`))
	}
	if x := h.Extensions; x != nil {
		x.SettingsFor(c, &able.Extensions)
	}
	meta := protocol.RequestMetaObject{ClientCapabilities: &able, ProtocolVersion: era.NewestServed.String()}
	if era.IsModern(c.Revision()) {
		if c.Request().Meta != nil && c.Request().Meta.ClientInfo != nil {
			info := c.Request().Meta.ClientInfo
			meta.ClientInfo = &protocol.Implementation{Name: session.Short(info.Name), Version: session.Short(info.Version)}
		}
	} else {
		if c.Request().Meta != nil {
			meta.ProgressToken = c.Request().Meta.ProgressToken
		}
		if name := c.Request().Conn.Owner.ClientName(); name != nil {
			meta.ClientInfo = &protocol.Implementation{Name: session.Short(*name)}
		}
	}
	call.Carry(c, c.Request().Conn, &meta.Extra)
	text := meta.AppendJSON(nil, era.NewestServed)
	if len(text) > maxKeptMeta {
		return nil, content.InvalidParams("/_meta: a task keeps %d bytes of it, and may keep %d", len(text), maxKeptMeta)
	}
	return text, nil
}
