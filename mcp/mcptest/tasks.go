package mcptest

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// tasksExtension is the extension with which calls become tasks since 2026-07-28.
	tasksExtension = "io.modelcontextprotocol/tasks"
	// methodUpdate answers the questions of a task.
	methodUpdate = "tasks/update"
	// pollEvery is how often the client asks for the state of a task.
	pollEvery = 5 * time.Millisecond
)

// WithTasks makes the client support tasks: its calls of tools with the option task become tasks. [Client.Call],
// [Client.CallText] and [Client.CallError] then wait for the task and return its result. The timeout of [WithTimeout]
// begins again with each change of its state. Questions of the task are answered like others; one without an answer
// ends the test. The error of a task that is cancelled has the code -32603 and the text "the task was cancelled".
// Revisions before 2025-11-25 have no tasks; the option has no effect there.
func WithTasks() Option { return func(c *Client) { c.says.tasks = true } }

// coreTasks is the one revision with tasks in its core. Others have them as an extension, or not at all.
const coreTasks = protocol.Revision20251125

// taskParam is the member of the params that makes a call a task in 2025-11-25. It is "" for a tool that cannot run as
// a task, and in other revisions.
func taskParam(c *Client, tool string) string {
	c.t.Helper()
	if !c.says.tasks || c.rev != coreTasks {
		return ""
	}
	isTask := slices.ContainsFunc(c.Tools(), func(t protocol.Tool) bool {
		return t.Name == tool && t.Execution != nil && t.Execution.TaskSupport != "" &&
			t.Execution.TaskSupport != protocol.TaskSupportForbidden
	})
	if !isTask {
		return ""
	}
	return `,"task":{}`
}

// taskOf returns the id of the task that a call has become; "" if it has not.
func taskOf(result json.RawMessage) string {
	if created, ok := wire.Lookup(result, "task"); ok {
		return textIn(created, "taskId")
	}
	if textIn(result, "resultType") != "task" {
		return ""
	}
	return textIn(result, "taskId")
}

// textIn returns the value of the member name of an object if that is a string; else "".
func textIn(object json.RawMessage, name string) string {
	raw, ok := wire.Lookup(object, name)
	if !ok || wire.KindOf(raw) != wire.KindString {
		return ""
	}
	d := wire.NewDecoder(raw)
	return d.String()
}

// outcome waits for the end of the task that a call of a tool has become, and returns the result of the tool or the
// error of the task.
func outcome(c *Client, tool, id string) (json.RawMessage, error) {
	c.t.Helper()
	about := wire.AppendString([]byte(`{"taskId":`), id)
	if c.rev == coreTasks {
		return c.Do(protocol.MethodTasksResult, append(about, '}'))
	}
	last, since := "", time.Now()
	for {
		state, fault := c.Do(protocol.MethodTasksGet, append(slices.Clip(about), '}'))
		if fault != nil {
			return nil, fault
		}
		switch textIn(state, "status") {
		case "completed":
			result, _ := wire.Lookup(state, "result")
			return result, nil
		case "failed":
			raw, _ := wire.Lookup(state, "error")
			e, d := new(wire.Error), wire.NewDecoder(raw)
			e.DecodeJSON(&d)
			return nil, e
		case "cancelled":
			return nil, wire.NewError(wire.CodeInternal, "the task was cancelled")
		case "input_required":
			answerTask(c, tool, about, state)
		}
		switch changed := textIn(state, "lastUpdatedAt"); {
		case changed != last:
			last, since = changed, time.Now()
		case time.Since(since) > c.timeout:
			c.fatalf("call %s: the task has not changed for %v: %s", tool, c.timeout, state)
		}
		time.Sleep(pollEvery)
	}
}

// answerTask answers the open questions of a task.
func answerTask(c *Client, tool string, about []byte, state json.RawMessage) {
	c.t.Helper()
	raw, _ := wire.Lookup(state, "inputRequests")
	d := wire.NewDecoder(raw)
	responses := wire.Map[protocol.InputResponse]{}
	for _, q := range wire.DecodeUnionMap(&d, c.rev, protocol.DecodeInputRequest) {
		reply := c.says.answer(q.Value)
		if reply == nil {
			c.fatalf("call %s: the client has no answer to the question %s of the task: %s", tool, q.Name, raw)
		}
		responses.Set(q.Name, reply)
	}
	b := slices.Concat(about, []byte(`,"inputResponses":`))
	b = append(wire.AppendUnionMap(b, c.rev, responses, protocol.AppendInputResponse), '}')
	if _, fault := c.Do(methodUpdate, b); fault != nil {
		c.fatalf("call %s: the answers to the task: %v", tool, fault)
	}
}
