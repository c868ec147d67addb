package tasks_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// steps is a tool that reports the numbers that it gets, each as progress, until the channel is closed. It asks before
// it ends if asks.
func steps(numbers <-chan float64, asks bool) feature.Tool {
	entry := &protocol.Tool{Name: "steps", InputSchema: json.RawMessage(`{"type":"object"}`)}
	return feature.Tool{Entry: entry, Task: feature.TaskRestart, Call: func(c *call.Call, _ []byte) (content.ToolResult,
		error) {
		for done := range numbers {
			if done == 0 {
				break
			}
			c.Progress().Report(done, 10, "step")
		}
		if !asks {
			return content.ToolText("done"), c.Err()
		}
		return askForm(c, nil)
	}}
}

// stepping runs f in a bubble with a server that has the tool steps, and a session of 2025-11-25.
func stepping(t *testing.T, asks bool, f func(st *taskServer, old *harness, numbers chan float64)) {
	synctest.Test(t, func(t *testing.T) {
		numbers := make(chan float64, 2)
		st := newTaskServer(t, nil, steps(numbers, asks))
		old := newAskedSession(t, st.Server)
		f(st, old, numbers)
		old.cancel()
	})
}

const progressNotification = `"method":"notifications/progress"`

// createSteps makes a task with a progress token in a session.
func (c *harness) createSteps() (id string) {
	c.t.Helper()
	created := c.ask(request("1", "tools/call", `"name":"steps","_meta":{"progressToken":"tok"},"task":{}`))
	id = member(c.t, created, "result", "task", "taskId")
	synctest.Wait()
	return id
}

// step expects the report of a step among the notifications.
func (c *harness) step(id string, done float64) {
	c.t.Helper()
	got := c.recv()
	contains(c.t, got, progressNotification, fmt.Sprintf(`"progress":%v`, done), `"total":10`, `"progressToken":"tok"`,
		`"message":"step"`, `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}}`)
}

// The progress of a task of 2025-11-25 comes among the notifications of its session with the token of the call, that
// which is complete before the end of the task. A listen of the newest revision gets none, and nor does its client.
func TestTaskProgress(t *testing.T) {
	t.Attr("requirements", "progress-task task-related task-ext-progress")
	stepping(t, false, func(st *taskServer, old *harness, numbers chan float64) {
		id := old.createSteps()
		for i := range 10 {
			numbers <- float64(i + 1)
			old.step(id, float64(i+1))
		}
		numbers <- 0
		contains(t, old.recv(), statusNotification, `"status":"completed"`)
		old.quiet()
		if n := server.Stats(st.Server).Tasks.ProgressDropped; n != 0 {
			t.Errorf("%d reports dropped", n)
		}

		c := newHarness(old.t, st.Server)
		call := withTasks("2", "tools/call", `"name":"steps"`)
		created := c.ask(strings.Replace(call, `"_meta":{`, `"_meta":{"progressToken":"new",`, 1))
		id = member(t, created, "result", "taskId")
		c.send(withTasks("3", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`))
		contains(t, c.recv(), "acknowledged")
		contains(t, c.recv(), `"notifications/tasks"`, `"working"`)
		numbers <- 1
		numbers <- 0
		contains(t, c.recv(), `"notifications/tasks"`, `"completed"`)
		c.quiet()
		c.cancel()
	})
}

// What was reported before the client has got the response to its call comes after that.
func TestTaskProgressBeforeResponse(t *testing.T) {
	stepping(t, false, func(_ *taskServer, old *harness, numbers chan float64) {
		numbers <- 1
		numbers <- 2
		id := old.createSteps()
		last := ""
		for !strings.Contains(last, `"progress":2`) {
			last = old.recv()
			contains(t, last, progressNotification, id)
		}
		numbers <- 0
		contains(t, old.recv(), statusNotification)
	})
}

// Nothing follows the end of a task, whatever its handler goes on to report, and the reports of its next run go on
// where those of the one before have ended.
func TestTaskProgressEnds(t *testing.T) {
	t.Attr("requirements", "progress-task")
	stepping(t, true, func(_ *taskServer, old *harness, numbers chan float64) {
		id := old.createSteps()
		numbers <- 5
		old.step(id, 5)
		numbers <- 0
		contains(t, old.recv(), statusNotification, `"status":"input_required"`)
		old.send(request("4", "tasks/result", `"taskId":"`+id+`"`))
		question := old.recv()
		contains(t, question, "elicitation/create")
		old.send(`{"jsonrpc":"2.0","id":` + member(t, question, "id") +
			`,"result":{"action":"accept","content":{"name":"ann"}}}`)
		synctest.Wait()
		contains(t, old.recv(), statusNotification, `"status":"working"`)
		for _, done := range []float64{3, 5, 6} {
			numbers <- done
		}
		old.step(id, 6)
		old.send(request("5", "tasks/cancel", `"taskId":"`+id+`"`))
		synctest.Wait()
		numbers <- 7
		close(numbers)
		time.Sleep(time.Minute)
		for range 3 { // the responses to both requests, and the status
			if got := old.recv(); strings.Contains(got, progressNotification) {
				t.Errorf("after the end: %s", got)
			}
		}
		old.quiet()
	})
}

// Progress that nobody follows here is counted: another process runs the task, or the session has ended.
func TestTaskProgressDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		numbers, shared := make(chan float64), new(task.Memory)
		opts := func(running int) *server.Options {
			return &server.Options{Logger: noLog, Tasks: task.Options{Store: shared, MaxRunning: running}}
		}
		full := newTaskServer(t, opts(1), steps(numbers, false))
		c := newSession(t, full.Server, protocol.Revision20251125)
		c.createLegacy("work")
		c.createSteps() // which waits
		idle := newTaskServer(t, opts(2), steps(numbers, false))
		time.Sleep(time.Minute)
		numbers <- 1
		numbers <- 2
		numbers <- 0
		synctest.Wait()
		n, none := server.Stats(idle.Server).Tasks.ProgressDropped, server.Stats(full.Server).Tasks.ProgressDropped
		if n != 2 || none != 0 {
			t.Errorf("%d reports dropped, and %d by the other server", n, none)
		}
		c.cancel()
		gone := newSession(t, idle.Server, protocol.Revision20251125)
		gone.createSteps()
		gone.cancel()
		synctest.Wait()
		numbers <- 1
		numbers <- 0
		synctest.Wait()
		if n := server.Stats(idle.Server).Tasks.ProgressDropped; n != 3 {
			t.Errorf("%d reports dropped, want 3", n)
		}
	})
}
