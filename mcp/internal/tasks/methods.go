package tasks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/taskrun"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskRequest is the request about a task of 2026-07-28 that a Worker handles.
type taskRequest struct {
	*session.Worker
	t      *Tasks
	params []byte
}

var _ ext.ServerHandler = taskRequest{}

// methods is the prefix of the names of all methods about tasks.
const methods = "tasks/"

// Request answers a request about tasks: it returns b with the result. It returns false for done if the request is
// about something else.
func (t *Tasks) Request(p *pipeline.Pipeline, params, b []byte) (out []byte, done bool, err error) {
	w := p.Worker
	if !bytes.HasPrefix(w.Method, []byte(methods)) {
		return b, false, nil
	}
	out, err = taskRequest{w, t, params}.dispatch(b)
	return out, true, err
}

func (x taskRequest) dispatch(b []byte) ([]byte, error) {
	w := x.Worker
	switch {
	case era.IsModern(w.Rev):
		if ext.HasMethod(tasksRevision, string(w.Method)) {
			if err := x.gate(); err != nil {
				return b, err
			}
		}
		if string(w.Method) == ext.MethodTasksUpdate { // its answers have any form
			return x.update(b)
		}
		return ext.Dispatch(w.Values(), x, tasksRevision, w.Method, w.Decoder(x.params), b)
	case w.Rev == era.NewestLegacy:
		return legacyTaskRequest{x}.dispatch(string(w.Method), b)
	}
	return b, feature.ErrNoMethod
}

// gate refuses a request of a client that has not declared the extension, or whose declaration is malformed.
func (x taskRequest) gate() error {
	meta := new(protocol.RequestMetaObject)
	d := wire.NewDecoder(x.paramsOrEmpty())
	for d.Object(); d.Next(); {
		if string(d.Name()) == "_meta" {
			meta.DecodeJSON(&d, x.Rev)
		} else {
			d.Skip()
		}
	}
	x.SentBy(meta)
	_, declared := wire.Lookup(x.params, "_meta", "io.modelcontextprotocol/clientCapabilities", "extensions", ext.ID)
	switch {
	case !declared:
		return errNoTasks()
	case d.Err() != nil:
		return content.InvalidParams("%v", d.Err())
	}
	return nil
}

// startTask begins a request about the task with an id; "" for a list of tasks. Afterwards the request may wait for the
// store, while other messages of the client are read.
func startTask(w *session.Worker, id string) (*call.Call, error) {
	call, err := w.Start()
	if err != nil {
		return nil, err
	}
	call.SetTarget(id, true, call.Request().Meta)
	w.About(session.AuditedName(id))
	return call, w.EnterFor(true)
}

// find returns the head of a task, if the client may know of the task.
func (x taskRequest) find(id string) (*call.Call, *task.Head, error) {
	call, err := startTask(x.Worker, id)
	if err != nil {
		return nil, nil, err
	}
	h, denied, err := x.t.head(call, id)
	if denied {
		x.Deny()
	}
	return call, h, err
}

// GetTask implements ext.ServerHandler.
func (x taskRequest) GetTask(_ context.Context, p *ext.GetTaskRequestParams) (ext.GetTaskReply, error) {
	call, h, err := x.find(p.TaskID)
	if err != nil {
		return nil, err
	}
	if err := holdBody(call, h); err != nil {
		return nil, err
	}
	r, err := x.t.withBody(call, h)
	if err != nil {
		return nil, x.t.failure(err)
	}
	return x.t.detailed(x.Rev, r), nil
}

// CancelTask implements ext.ServerHandler.
func (x taskRequest) CancelTask(_ context.Context, p *ext.CancelTaskRequestParams) (ext.CancelTaskReply, error) {
	call, _, err := x.find(p.TaskID)
	if err != nil {
		return nil, err
	}
	if _, err := x.t.engine.Cancel(call, p.TaskID); err != nil {
		return nil, x.t.failure(err)
	}
	return &ext.CancelTaskResult{Meta: x.t.Host.ResultMeta(x.Rev)}, nil
}

// UpdateTask implements ext.ServerHandler; dispatch does not call it.
func (x taskRequest) UpdateTask(context.Context, *ext.UpdateTaskRequestParams) (ext.UpdateTaskReply, error) {
	return nil, feature.ErrNoMethod
}

// update answers tasks/update.
func (x taskRequest) update(b []byte) ([]byte, error) {
	var id string
	var answers []byte
	var hasID bool
	d := wire.NewDecoder(x.paramsOrEmpty())
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "taskId":
			id, hasID = d.String(), true
		case "inputResponses":
			answers = d.RawCopy()
		default:
			d.Skip()
		}
	}
	switch {
	case d.Err() != nil:
		return b, content.InvalidParams("%v", d.Err())
	case !hasID:
		return b, content.InvalidParams("/taskId: is missing")
	case wire.KindOf(answers) != wire.KindObject:
		return b, content.InvalidParams("/inputResponses: must be an object")
	}
	call, h, err := x.find(id)
	if err != nil {
		return b, err
	}
	if h.Status == task.InputRequired { // else nothing is asked, and the body is not read
		if err := holdBody(call, h); err != nil {
			return b, err
		}
		merge := func(r *task.Record) bool { return mergeAnswers(r, answers) }
		if err := x.t.engine.Update(call, id, merge); err != nil {
			return b, x.t.failure(err)
		}
	}
	result := ext.UpdateTaskResult{Meta: x.t.Host.ResultMeta(x.Rev)}
	return result.AppendJSON(b, tasksRevision), nil
}

func (x taskRequest) paramsOrEmpty() []byte {
	if x.params == nil {
		return content.EmptyObject
	}
	return x.params
}

// legacyTaskRequest is the request about a task of 2025-11-25 that a Worker handles.
type legacyTaskRequest struct{ taskRequest }

func (x legacyTaskRequest) dispatch(method string, b []byte) ([]byte, error) {
	if method == protocol.MethodTasksList {
		return x.list(b)
	}
	var p protocol.GetTaskRequestParams
	d := wire.NewDecoder(x.paramsOrEmpty())
	switch method {
	case protocol.MethodTasksGet, protocol.MethodTasksResult, protocol.MethodTasksCancel:
		if p.DecodeJSON(&d, x.Rev); d.Err() != nil {
			return b, content.InvalidParams("%v", d.Err())
		}
	default:
		return b, feature.ErrNoMethod
	}
	call, h, err := x.find(p.TaskID)
	if err != nil {
		return b, err
	}
	switch method {
	case protocol.MethodTasksGet:
		if h.Status == task.InputRequired {
			x.t.askWhoPolls(x.Conn, h.ID)
		}
		t := x.t.legacyTask(h)
		result := protocol.GetTaskResult{
			TaskID: t.TaskID, Status: t.Status, CreatedAt: t.CreatedAt, LastUpdatedAt: t.LastUpdatedAt,
			TTL: t.TTL, PollInterval: t.PollInterval, StatusMessage: t.StatusMessage,
		}
		return result.AppendJSON(b, x.Rev), nil
	case protocol.MethodTasksCancel:
		return x.cancel(call, h, b)
	}
	return x.result(call, h, b)
}

func (x legacyTaskRequest) cancel(call *call.Call, h *task.Head, b []byte) ([]byte, error) {
	if h.Status.Final() {
		return b, content.InvalidParams("/taskId: the task has ended already: it is %s", legacyStatus(h))
	}
	h, err := x.t.engine.Cancel(call, h.ID)
	switch {
	case err != nil:
		return b, x.t.failure(err)
	case h.Status != task.Cancelled:
		return b, content.InvalidParams("/taskId: the task has ended already: it is %s", legacyStatus(h))
	}
	t := x.t.legacyTask(h)
	result := protocol.CancelTaskResult{
		TaskID: t.TaskID, Status: t.Status, CreatedAt: t.CreatedAt, LastUpdatedAt: t.LastUpdatedAt,
		TTL: t.TTL, PollInterval: t.PollInterval, StatusMessage: t.StatusMessage,
	}
	return result.AppendJSON(b, x.Rev), nil
}

// Limits of the requests of 2025-11-25 about tasks.
const (
	maxTaskPage   = 100
	maxResultWait = 10 * time.Minute // of one tasks/result
)

// list answers tasks/list. It is only for callers that can be identified.
func (x legacyTaskRequest) list(b []byte) ([]byte, error) {
	var p protocol.PaginatedRequestParams
	d := wire.NewDecoder(x.paramsOrEmpty())
	if p.DecodeJSON(&d, x.Rev); d.Err() != nil {
		return b, content.InvalidParams("%v", d.Err())
	}
	if !known(x.Worker) {
		return b, feature.ErrNoMethod
	}
	call, err := startTask(x.Worker, "")
	if err != nil {
		return b, err
	}
	principal := principalOf(call)
	after := ""
	if p.Cursor != nil {
		at, ok := x.t.Cursors.Open(paging.Tasks, *p.Cursor, principal)
		if !ok {
			return b, content.ErrCursor
		}
		after = at.From
	}
	size := min(x.t.PageSize, maxTaskPage)
	result := protocol.ListTasksResult{Tasks: []protocol.Task{}}
	who, now, n := call.Caller(), time.Now(), 0
	err = x.t.engine.List(call, principal, after, size, func(h *task.Head) {
		if !h.Expired(now) && x.t.permits(&who, principal, h) {
			result.Tasks = append(result.Tasks, x.t.legacyTask(h))
		}
		after = h.ID
		n++
	})
	if err != nil {
		return b, x.t.failure(err)
	}
	if n == size {
		at := paging.Position{From: after}
		result.NextCursor = new(x.t.Cursors.Seal(paging.Tasks, at, principal))
	}
	return result.AppendJSON(b, x.Rev), nil
}

// known reports whether the client of a request can be identified: it has a subject, or is the only client, over stdio.
func known(w *session.Worker) bool {
	_, http := w.Responder.(*call.HTTPExchange)
	return !http || w.Caller().Subject != ""
}

// result answers tasks/result: it waits until the task has ended, and sends the client the questions that the task asks
// meanwhile.
func (x legacyTaskRequest) result(call *call.Call, h *task.Head, b []byte) ([]byte, error) {
	if h.Status.Final() {
		return x.outcomeOf(call, h, b)
	}
	gone, resume, err := call.Wait()
	if err != nil {
		return b, errTooManyWait
	}
	defer resume()
	defer x.t.asked.waitFor(h.ID)()
	x.t.pollsAgain(x.Conn, h.ID, false)
	ctx, stop := context.WithTimeoutCause(call, maxResultWait, errStillWorking)
	defer stop()
	ctx, left := context.WithCancelCause(ctx)
	defer left(nil)
	go func() {
		select {
		case <-gone:
			left(engine.ErrEnded)
		case <-call.Request().Conn.Ended.Done():
			left(engine.ErrEnded)
		case <-ctx.Done():
		}
	}()
	for !h.Status.Final() {
		h, err = x.t.engine.Wait(ctx, h.ID, func(h *task.Head) bool { return h.Status != task.Working })
		if err == nil && h.Status == task.InputRequired {
			err = x.t.ask(ctx, taskQuestions{x.Conn, call}, h.ID)
		}
		if err != nil {
			return b, x.waitFailure(cmp.Or(context.Cause(ctx), err)) // a store may return ctx.Err()
		}
	}
	return x.outcomeOf(call, h, b)
}

// errTooManyWait refuses to wait for a result. Such requests have the same limits as requests that wait for a person,
// because they may ask a person and take as long.
var errTooManyWait = engine.Busy("too many requests wait already; tasks/get tells the state")

var errStillWorking = &wire.Error{Code: wire.CodeInternal, Message: "the task is still working: ask again"}

// waitFailure returns the error that the client gets if waiting for a result has failed with err.
func (x legacyTaskRequest) waitFailure(err error) error {
	switch {
	case errors.Is(err, errStillWorking):
		return errStillWorking
	case errors.Is(err, engine.ErrEnded): // its client has left, or the connection ends: no defect to log
		return engine.ErrShutdown
	}
	return x.t.failure(err)
}

func (x legacyTaskRequest) outcomeOf(call *call.Call, h *task.Head, b []byte) ([]byte, error) {
	if err := holdBody(call, h); err != nil {
		return b, err
	}
	r, err := x.t.withBody(call, h)
	if err != nil {
		return b, x.waitFailure(cmp.Or(context.Cause(call), err))
	}
	switch r.Status {
	case task.Completed:
		return legacyResult(r).AppendJSON(b, x.Rev), nil
	case task.Failed:
		return b, outcomeError(r)
	case task.Cancelled, task.Working, task.InputRequired:
	}
	return b, wire.NewError(wire.CodeInternal, taskrun.ErrCancelled.Error())
}
