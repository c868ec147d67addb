package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// tasksExtension is the extension that a client of tasks declares with each request.
const tasksExtension = "io.modelcontextprotocol/tasks"

// TaskClient creates tasks through a balancer, asks about them until they have ended, and cancels some of them.
type TaskClient struct {
	Conn  *Conn
	Judge *verdict.Tasks
	// Name is a part of the keys of its tasks.
	Name   string
	Random *rand.Rand
	// Hold says when it must not create tasks.
	Hold func() bool
	// Pause is the time between two tasks, about.
	Pause time.Duration
}

// NewTaskConn returns a conn that declares the extension.
func NewTaskConn(url string, seen *verdict.Client) *Conn {
	c := NewConn(url, Modern, seen)
	c.Capabilities = object{"extensions": object{tasksExtension: object{}}}
	return c
}

// maxOpen is how many tasks one client has at a time.
const maxOpen = 24

// Run creates tasks until ctx ends.
func (t *TaskClient) Run(ctx context.Context) {
	room := make(chan struct{}, maxOpen)
	var all sync.WaitGroup
	defer all.Wait()
	for n := 0; sleep(ctx, t.Pause/2+time.Duration(t.Random.Int64N(int64(t.Pause)))); n++ {
		if t.Hold() {
			continue
		}
		tool, once := "job", t.Random.IntN(2) == 0
		if once {
			tool = "job_once"
		}
		key := fmt.Sprintf("%s %s %d", tool, t.Name, n)
		id, err := t.create(ctx, tool, key, t.Random.IntN(2_500))
		if err != nil {
			continue
		}
		t.Judge.Created(id, key, once)
		cancel := time.Duration(0)
		if t.Random.IntN(8) == 0 {
			cancel = time.Duration(1 + t.Random.Int64N(int64(2*time.Second)))
		}
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			t.follow(ctx, id, cancel)
		})
	}
}

func (t *TaskClient) create(ctx context.Context, tool, key string, millis int) (string, error) {
	var out struct {
		ResultType string `json:"resultType"`
		TaskID     string `json:"taskId"`
	}
	params := object{"name": tool, "arguments": object{"key": key, "millis": millis}}
	if err := t.Conn.Call(ctx, "", "tools/call", params, &out); err != nil {
		return "", err
	}
	if out.ResultType != "task" || out.TaskID == "" {
		return "", fmt.Errorf("%s became no task", tool)
	}
	return out.TaskID, nil
}

// follow asks about a task until it has ended, and a few times later; with cancel it asks in between that it ends.
func (t *TaskClient) follow(ctx context.Context, id string, cancel time.Duration) {
	begun := time.Now()
	for ended := 0; ended < 3 && sleep(ctx, 300*time.Millisecond); {
		if cancel > 0 && time.Since(begun) > cancel {
			t.Judge.Cancel(id)
			if t.Conn.Call(ctx, "", "tasks/cancel", object{"taskId": id}, nil) == nil {
				cancel = 0
			}
		}
		end, err := t.get(ctx, id)
		if rpc, ok := errors.AsType[*RPCError](err); ok && rpc.Code == invalidParams {
			t.Judge.Unknown(id)
			return
		}
		if err != nil {
			continue
		}
		t.Judge.Seen(id, end)
		if end != nil {
			ended++
		}
	}
}

const invalidParams = -32602

// get returns how a task has ended, or nil if it has not.
func (t *TaskClient) get(ctx context.Context, id string) (*verdict.TaskEnd, error) {
	var out struct {
		Status string `json:"status"`
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
		Error RPCError `json:"error"`
	}
	if err := t.Conn.Call(ctx, "", "tasks/get", object{"taskId": id}, &out); err != nil {
		return nil, err
	}
	switch out.Status {
	case "working", "input_required":
		return nil, nil
	case "completed":
		text := ""
		if len(out.Result.Content) > 0 {
			text = out.Result.Content[0].Text
		}
		return &verdict.TaskEnd{Status: out.Status, Text: text}, nil
	}
	return &verdict.TaskEnd{Status: out.Status, Text: out.Error.Message}, nil
}
