package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// TasksExtension is the extension that a client of tasks of the newest revision declares with each request.
const TasksExtension = "io.modelcontextprotocol/tasks"

// TaskConn sends requests about tasks, in the newest revision or in 2025-11-25.
type TaskConn struct {
	*Conn
	// Session is the id of the session of 2025-11-25.
	Session string
}

// NewTaskConn returns a conn that declares what a client of tasks has. One of 2025-11-25 has no session yet.
func NewTaskConn(url, revision string, seen *verdict.Client) *TaskConn {
	c := NewConn(url, revision, seen)
	c.Capabilities = object{"elicitation": object{"form": object{}}}
	if revision == Modern {
		c.Capabilities["extensions"] = object{TasksExtension: object{}}
	}
	return &TaskConn{Conn: c}
}

// At returns a conn like c to another address.
func (c *TaskConn) At(url string) *TaskConn {
	return &TaskConn{Conn: c.Conn.At(url), Session: c.Session}
}

// taskText is a task as all messages have it.
type taskText struct {
	TaskID        string                     `json:"taskId"`
	Status        string                     `json:"status"`
	Message       string                     `json:"statusMessage"`
	Result        toolResult                 `json:"result"`
	Error         *RPCError                  `json:"error"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
}

type toolResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
}

func (r *toolResult) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// Task is what a server says of a task.
type Task struct {
	ID, Status string
	// Message is what the handler says of its work.
	Message string
	// Text is that of the result, or the message of the error, where messages have these.
	Text string
	// Questions are the keys of what it asks, where messages have these.
	Questions []string
}

func (t *taskText) task() Task {
	out := Task{ID: t.TaskID, Status: t.Status, Message: t.Message, Text: t.Result.text()}
	if t.Error != nil {
		out.Text = t.Error.Message
	}
	for key := range t.InputRequests {
		out.Questions = append(out.Questions, key)
	}
	slices.Sort(out.Questions)
	return out
}

// Ended reports whether the task has ended.
func (t Task) Ended() bool { return t.Status != "working" && t.Status != "input_required" }

// Job is a call of a tool that becomes a task.
type Job struct {
	Tool, Key     string
	Millis, Steps int
	// Die is the step after which the process of the first run dies; none by default.
	Die int
	// Hold is how many steps the first run makes; all by default.
	Hold int
}

// Create makes a task, and returns its id.
func (c *TaskConn) Create(ctx context.Context, job Job) (string, error) {
	var out struct {
		TaskID string   `json:"taskId"`
		Task   taskText `json:"task"`
	}
	params := object{"name": job.Tool, "arguments": object{"key": job.Key, "millis": job.Millis, "steps": job.Steps,
		"hold": job.Hold, "die": job.Die}}
	if c.Revision != Modern {
		params["task"] = object{}
	}
	if err := c.Call(ctx, c.Session, "tools/call", params, &out); err != nil {
		return "", err
	}
	if out.TaskID += out.Task.TaskID; out.TaskID == "" {
		return "", fmt.Errorf("%s became no task", job.Tool)
	}
	return out.TaskID, nil
}

// Get asks for a task.
func (c *TaskConn) Get(ctx context.Context, id string) (Task, error) {
	var out taskText
	err := c.Call(ctx, c.Session, "tasks/get", object{"taskId": id}, &out)
	return out.task(), err
}

// Cancel asks that a task ends.
func (c *TaskConn) Cancel(ctx context.Context, id string) error {
	return c.Call(ctx, c.Session, "tasks/cancel", object{"taskId": id}, nil)
}

// yes is the answer to each question.
var yes = object{"action": "accept", "content": object{"go": true}}

// Answer answers a question of a task in the newest revision.
func (c *TaskConn) Answer(ctx context.Context, id, key string) error {
	return c.Call(ctx, "", "tasks/update", object{"taskId": id, "inputResponses": object{key: yes}}, nil)
}

// List returns the ids of all tasks of the user of a session.
func (c *TaskConn) List(ctx context.Context) (ids []string, err error) {
	cursor := ""
	for range 200 {
		var out struct {
			Tasks      []taskText `json:"tasks"`
			NextCursor string     `json:"nextCursor"`
		}
		params := object{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		if err := c.Call(ctx, c.Session, "tasks/list", params, &out); err != nil {
			return nil, err
		}
		for _, t := range out.Tasks {
			ids = append(ids, t.TaskID)
		}
		if cursor = out.NextCursor; cursor == "" {
			return ids, nil
		}
	}
	return nil, errors.New("a list without an end")
}

// Result waits for the result of a task of a session, and answers what it asks meanwhile through another conn. The
// error of a task that has failed is an *RPCError.
func (c *TaskConn) Result(ctx context.Context, id string, answers *TaskConn) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	res, err := c.post(ctx, c.Session, 1, "tasks/result", object{"taskId": id})
	if err != nil {
		return "", err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	var m message
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		m, err = answer(res)
	} else {
		m, err = answers.converse(ctx, newEvents(res.Body))
	}
	if err != nil {
		return "", err
	}
	if m.Error != nil {
		return "", m.Error
	}
	var out toolResult
	err = json.Unmarshal(m.Result, &out)
	return out.text(), err
}

// converse reads messages up to a response, and answers those that are questions.
func (c *TaskConn) converse(ctx context.Context, events *events) (message, error) {
	for {
		m, err := events.next()
		if err != nil || m.Method == "" {
			return m, err
		}
		if m.Method == "elicitation/create" {
			res, err := c.send(ctx, c.Session, object{"jsonrpc": "2.0", "id": m.ID, "result": yes}, "", nil)
			if err != nil {
				return m, fmt.Errorf("answer: %w", err)
			}
			_ = res.Body.Close()
		}
	}
}

// Listen opens a listen for tasks and calls told for each notification, until that returns false or the stream ends.
// It calls begun with the ids that the server has accepted.
func (c *TaskConn) Listen(ctx context.Context, ids []string, begun func(granted []string), told func(Task) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := time.AfterFunc(Patience, cancel)
	defer patience.Stop()
	res, err := c.post(ctx, "", 1, "subscriptions/listen", object{
		"_meta": c.meta(), "notifications": object{"taskIds": ids},
	})
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		m, err := answer(res)
		return errors.Join(err, asError(m.Error), errors.New("no stream"))
	}
	patience.Stop()
	events := newEvents(res.Body)
	for {
		m, err := events.next()
		switch {
		case err != nil:
			return err
		case m.Method == "notifications/subscriptions/acknowledged":
			begun(m.Params.Notifications.TaskIDs)
		case m.Method == "notifications/tasks":
			if !told(m.Params.task()) {
				return nil
			}
		case m.Method == "":
			return errors.Join(asError(m.Error), errors.New("the server has ended it"))
		}
	}
}

// Statuses opens the stream of a session, and calls told for each notification about a task until that returns false
// or the stream ends.
func (c *TaskConn) Statuses(ctx context.Context, begun func(), told func(Task) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := c.get(ctx, c.Session, "")
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	begun()
	for events := newEvents(res.Body); ; {
		m, err := events.next()
		if err != nil {
			return err
		}
		if m.Method == "notifications/tasks/status" && !told(m.Params.task()) {
			return nil
		}
	}
}

// begin opens a session, unless the revision has none.
func (c *TaskConn) begin(ctx context.Context) {
	for c.Revision != Modern {
		id, err := c.Open(ctx)
		if err == nil {
			c.Session = id
			return
		}
		if !sleep(ctx, 300*time.Millisecond) {
			return
		}
	}
}

// ended returns how a task has ended; nil if it has not. In 2025-11-25 that needs a second request.
func (c *TaskConn) ended(ctx context.Context, t Task) (*verdict.TaskEnd, error) {
	switch {
	case !t.Ended():
		return nil, nil
	case c.Revision == Modern || t.Status == "cancelled":
		return &verdict.TaskEnd{Status: t.Status, Text: t.Text}, nil
	}
	text, err := c.Result(ctx, t.ID, c)
	if rpc, ok := errors.AsType[*RPCError](err); ok && t.Status == "failed" && rpc.Message == verdict.Interrupted {
		text, err = rpc.Message, nil // else the store may be away
	}
	if err != nil {
		return nil, err
	}
	return &verdict.TaskEnd{Status: t.Status, Text: text}, nil
}

// invalidParams is the code of the error about a task that the server does not know.
const invalidParams = -32602

// unknown reports whether an error says that the server does not know a task.
func unknown(err error) bool {
	rpc, ok := errors.AsType[*RPCError](err)
	if ok {
		return rpc.Code == invalidParams
	}
	status, ok := errors.AsType[*StatusError](err)
	return ok && status.Code == http.StatusBadRequest && strings.Contains(status.Body, "unknown task")
}
