package tasks

import (
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	ext "github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// tasksRevision is the version of the extension that servers speak. Clients cannot ask for another one.
const tasksRevision = ext.Revision20260728

// taskTime returns a time in the form that clients get.
func taskTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// shown has the fields of a task that clients get, with the names that both revisions share.
type shown struct {
	created, updated string
	ttl, poll        *int64
}

func (t *Tasks) shown(h *task.Head) shown {
	return shown{
		created: taskTime(h.Created), updated: taskTime(h.Updated),
		ttl:  new(h.Expires.Sub(h.Created).Milliseconds()),
		poll: new(t.engine.Options.PollInterval.Milliseconds()),
	}
}

// created returns the answer to a call that has become a task.
func (t *Tasks) created(rev protocol.Revision, r *task.Record) protocol.CallToolReply {
	x := t.shown(&r.Head)
	if !era.IsModern(rev) {
		result := protocol.CreateTaskResult{Task: t.legacyTask(&r.Head)}
		return protocol.Prepared(result.AppendJSON(nil, rev))
	}
	result := ext.CreateTaskResult{
		TaskID: r.ID, Status: ext.TaskStatus(r.Status), CreatedAt: x.created, LastUpdatedAt: x.updated,
		TTLMs: x.ttl, StatusMessage: r.Message, PollIntervalMs: x.poll, Meta: t.Host.ResultMeta(rev),
	}
	return protocol.Prepared(result.AppendJSON(nil, tasksRevision))
}

// asked returns the open questions of a record.
func asked(r *task.Record) wire.Map[protocol.InputRequest] {
	d := wire.NewDecoder(r.Asked)
	return wire.DecodeUnionMap(&d, era.OldestModern, protocol.DecodeInputRequest)
}

// outcomeError returns the error of a record that has failed.
func outcomeError(r *task.Record) *wire.Error {
	e := new(wire.Error)
	d := wire.NewDecoder(r.Error)
	if e.DecodeJSON(&d); d.Err() != nil {
		return wire.NewError(wire.CodeInternal, "failed")
	}
	return e
}

// detailed returns the answer to tasks/get of 2026-07-28.
func (t *Tasks) detailed(rev protocol.Revision, r *task.Record) ext.GetTaskReply {
	x, meta := t.shown(&r.Head), t.Host.ResultMeta(rev)
	switch r.Status {
	case task.InputRequired:
		return &ext.GetTaskResultInputRequired{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, InputRequests: asked(r), Meta: meta,
		}
	case task.Completed:
		return &ext.GetTaskResultCompleted{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, Result: r.Result, Meta: meta,
		}
	case task.Failed:
		return &ext.GetTaskResultFailed{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, Error: outcomeError(r), Meta: meta,
		}
	case task.Cancelled:
		return &ext.GetTaskResultCancelled{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, Meta: meta,
		}
	case task.Working:
	}
	return &ext.GetTaskResultWorking{
		TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
		PollIntervalMs: x.poll, Meta: meta,
	}
}

// notification returns the notification about a task in 2026-07-28. It tells the same as the answer to tasks/get.
func (t *Tasks) notification(r *task.Record, meta *protocol.NotificationMetaObject) ext.TaskStatusNotificationParams {
	x := t.shown(&r.Head)
	switch r.Status {
	case task.InputRequired:
		return &ext.TaskStatusNotificationParamsInputRequired{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, InputRequests: asked(r), Meta: meta,
		}
	case task.Completed:
		return &ext.TaskStatusNotificationParamsCompleted{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, Result: r.Result, Meta: meta,
		}
	case task.Failed:
		return &ext.TaskStatusNotificationParamsFailed{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, Error: outcomeError(r), Meta: meta,
		}
	case task.Cancelled:
		return &ext.TaskStatusNotificationParamsCancelled{
			TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
			PollIntervalMs: x.poll, Meta: meta,
		}
	case task.Working:
	}
	return &ext.TaskStatusNotificationParamsWorking{
		TaskID: r.ID, CreatedAt: x.created, LastUpdatedAt: x.updated, TTLMs: x.ttl, StatusMessage: r.Message,
		PollIntervalMs: x.poll, Meta: meta,
	}
}

// legacyStatus returns the status of a task in 2025-11-25. There a task has failed also if its tool reports a failure.
func legacyStatus(h *task.Head) protocol.TaskStatus {
	if h.Status == task.Completed && h.IsError {
		return protocol.TaskStatusFailed
	}
	return protocol.TaskStatus(h.Status)
}

// legacyTask returns a task in the form of 2025-11-25.
func (t *Tasks) legacyTask(h *task.Head) protocol.Task {
	x, message := t.shown(h), h.Message
	if message == "" && h.IsError {
		message = "the tool reports a failure"
	}
	return protocol.Task{
		TaskID: h.ID, Status: legacyStatus(h), CreatedAt: x.created, LastUpdatedAt: x.updated,
		TTL: x.ttl, PollInterval: x.poll, StatusMessage: message,
	}
}

// relatedTask is the member of _meta that names the task of a message in 2025-11-25.
const relatedTask = "io.modelcontextprotocol/related-task"

// related returns a _meta that names a task.
func related(id string) wire.Extra {
	m := protocol.RelatedTaskMetadata{TaskID: id}
	return wire.Extra{{Name: relatedTask, Value: json.RawMessage(m.AppendJSON(nil, era.NewestLegacy))}}
}

// legacyResult returns the result of a task in the form of 2025-11-25.
func legacyResult(r *task.Record) *protocol.CallToolResult {
	result := new(protocol.CallToolResult)
	d := wire.NewDecoder(r.Result)
	result.DecodeJSON(&d, era.NewestServed)
	result.Meta = &protocol.ResultMetaObject{Extra: related(r.ID)}
	return result
}
