package tasks_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// A run has the rights of the caller that has made the task: policies are asked again, and the rate counts once.
func TestTaskRunHasRights(t *testing.T) {
	var asked, ran, most atomic.Int64
	tool := restartable("guarded", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		ran.Add(1)
		who := c.Caller()
		return content.ToolText(fmt.Sprint(who.Subject, who.Scopes, who.Roles)), nil
	})
	tool.Guard = &access.Guard{
		Access: access.Access{
			Scopes: []string{"key"}, AnyRole: [][]string{{"chief"}},
			Policies: []access.Policy{func(*call.Call) error {
				if asked.Add(1) > most.Load() {
					return errors.New("no")
				}
				return nil
			}},
		},
		Limit: access.Limit{Rate: 2, Per: 24 * time.Hour},
	}
	who := call.Caller{Subject: "ann", Scopes: []string{"key"}, Roles: []string{"chief"}}
	one(t, &server.Options{Logger: noLog, Caller: who}, func(_ *taskServer, c *harness) {
		most.Store(2)
		id := c.createTask("guarded")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`, `"text":"ann[key] [chief]"`)
		if n := asked.Swap(0); n != 2 {
			t.Errorf("the policy was asked %d times", n)
		}
		most.Store(1)
		id = c.createTask("guarded")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"failed"`, `"code":-32602`, "unknown tool")
		if n := ran.Load(); n != 1 {
			t.Errorf("the handler ran %d times", n)
		}
		most.Store(9)
		contains(t, c.ask(withTasks("1", "tools/call", `"name":"guarded"`)), "called too often", `"isError":true`)
	}, tool)
}

// A tool with task=once that asks all the same fails: it would have to run again.
func TestTaskOnceThatAsks(t *testing.T) {
	entry := &protocol.Tool{Name: "asks", InputSchema: []byte(`{"type":"object"}`)}
	tool := feature.Tool{Entry: entry, Task: feature.TaskOnce, Call: askForm}
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("asks")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"failed"`, `"code":-32603`, "must not run twice")
	}, tool)
}

// What would be kept of the _meta of a call is bounded.
func TestTaskMetaBound(t *testing.T) {
	inSession(t, nil, func(_ *taskServer, c *harness) {
		with := func(n int) string {
			return c.ask(request("1", "tools/call", `"name":"fail","task":{},"_meta":{"progressToken":"`+
				strings.Repeat("x", n)+`"}`))
		}
		contains(t, with(15<<10), `"status":"working"`)
		contains(t, with(16<<10), `"code":-32602`, "/_meta")
	})
}

// Progress that is reported before the response to the call comes after it, without another report.
func TestTaskProgressBeforeFollowing(t *testing.T) {
	var reported, finish chan struct{} // of the bubble
	tool := restartable("early", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		c.Progress().Report(3, 10, "step")
		close(reported)
		<-finish
		return content.ToolText("done"), nil
	})
	tool.Guard = &access.Guard{Use: call.NewUse(
		func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
			r, err := next(c, p)
			if c.TaskID() == "" {
				<-reported
			}
			return r, err
		})}
	synctest.Test(t, func(t *testing.T) {
		reported, finish = make(chan struct{}), make(chan struct{})
		end := sync.OnceFunc(func() { close(finish) })
		defer end()
		st := newTaskServer(t, nil, tool)
		c := newSession(t, st.Server, protocol.Revision20251125)
		created := c.ask(request("1", "tools/call", `"name":"early","_meta":{"progressToken":"tok"},"task":{}`))
		c.step(member(t, created, "result", "task", "taskId"), 3)
		end()
		contains(t, c.recv(), statusNotification, `"status":"completed"`)
		c.cancel()
	})
}

// A process whose tool is switched off leaves its tasks to others, and its clients know of them.
func TestTaskOfToolThatIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &server.Options{Logger: noLog, Tasks: task.Options{Store: new(task.Memory)}}
		a, b := newTaskServer(t, opts), newTaskServer(t, opts)
		b.EnableTool("work", false)
		ca, cb := newHarness(t, a.Server), newHarness(t, b.Server)
		id := ca.createTask("work")
		<-a.started
		contains(t, cb.getTask(id), `"status":"working"`)
		ca.cancel()
		_ = a.Close()
		time.Sleep(time.Minute)
		contains(t, cb.getTask(id), `"status":"working"`)
		select {
		case <-b.started:
			t.Error("the tool runs")
		default:
		}
		b.EnableTool("work", true)
		select {
		case got := <-b.started:
			if got != id {
				t.Errorf("%s runs, want %s", got, id)
			}
		case <-time.After(time.Minute):
			t.Fatal("the task does not run")
		}
		close(b.finish)
		synctest.Wait()
		contains(t, cb.getTask(id), `"status":"completed"`)
		cb.cancel()
	})
}

// Without a bus a client learns within about a second of what another process does with a task.
func TestTaskFoundWithoutBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &server.Options{Logger: noLog, Tasks: task.Options{Store: new(task.Memory)}}
		a, b := newTaskServer(t, opts), newTaskServer(t, opts)
		ca, cb := newHarness(t, a.Server), newHarness(t, b.Server)
		id := ca.createTask("work")
		<-a.started
		cb.ask(withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`))
		time.Sleep(time.Minute)
		contains(t, cb.recvAll(), `"status":"working"`)
		begin := time.Now()
		close(a.finish)
		contains(t, cb.recv(), `"status":"completed"`)
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		ca.cancel()
		cb.cancel()
	})
}

// A task that a process claims in its last moment has not begun there: another one runs it, also with task=once.
func TestTaskOfLastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &server.Options{Logger: noLog, Tasks: task.Options{Store: new(task.Memory), MaxRunning: 1}}
		a, b := newTaskServer(t, opts), newTaskServer(t, opts)
		c := newHarness(t, a.Server)
		c.createTask("work")
		<-a.started
		server.HostOf(b.Server).Close() // which closes before its tasks do
		id := c.createTask("once")
		time.Sleep(time.Minute)
		contains(t, c.getTask(id), `"status":"working"`)
		_ = b.Close()
		close(a.finish)
		select {
		case got := <-a.started:
			if got != id {
				t.Errorf("%s runs, want %s", got, id)
			}
		case <-time.After(time.Minute):
			t.Fatal("the task does not run")
		}
		c.cancel()
	})
}
