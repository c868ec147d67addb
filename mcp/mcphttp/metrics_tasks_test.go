package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptask"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// withTasks adds tools whose calls may be tasks: job runs until its server ends or its task is cancelled, short does
// not, bad fails, worse is no result, page asks, steps reports progress until its task is cancelled.
func withTasks(f *mcprt.Features) {
	f.Tasks = mcptask.Serve
	add := func(name string, mode mcprt.TaskMode, call func(*mcprt.Call) (mcprt.ToolResult, error)) {
		f.Tools = append(f.Tools, mcprt.Tool{
			Entry: &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}, Task: mode,
			Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) { return call(c) },
		})
	}
	waits := func(c *mcprt.Call) (mcprt.ToolResult, error) {
		<-c.Done()
		return mcprt.ToolResult{}, c.Err()
	}
	add("job", mcprt.TaskRestart, waits)
	add("job_once", mcprt.TaskOnce, waits)
	add("short", mcprt.TaskOnce, func(*mcprt.Call) (mcprt.ToolResult, error) {
		return mcprt.ToolResultOf(mcp.ToolText("done"), nil)
	})
	add("bad", mcprt.TaskOnce, func(*mcprt.Call) (mcprt.ToolResult, error) {
		return mcprt.ToolResult{}, errors.New("bad")
	})
	add("worse", mcprt.TaskOnce, func(*mcprt.Call) (mcprt.ToolResult, error) { panic("worse") })
	add("page", mcprt.TaskRestart, func(c *mcprt.Call) (mcprt.ToolResult, error) {
		err := (*mcp.Call)(c).Peer().Ask((*mcp.Call)(c), mcp.NewURLQuestion("k", "?", "https://example.com/"))
		return mcprt.ToolResultOf(mcp.ToolText("done"), err)
	})
	add("steps", mcprt.TaskRestart, func(c *mcprt.Call) (mcprt.ToolResult, error) {
		(*mcp.Call)(c).Progress().Report(1, 2, "one")
		return waits(c)
	})
}

// about makes a request of a client with tasks.
func (o *observed) about(method, name, params string) string { return o.as("", method, name, params) }

// as is about for a client with a name.
func (o *observed) as(who, method, name, params string) string {
	body, headers := modern(method, name, params)
	body = strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{`,
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}},`+
			`"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
	w := o.do("POST", body, append(headers, "Name", who)...)
	synctest.Wait()
	return w.Body.String()
}

// creates makes a task, and returns its id; "" if it was refused.
func (o *observed) creates(tool string) string {
	id, _ := wire.Lookup([]byte(o.about("tools/call", tool, `"name":"`+tool+`"`)), "result", "taskId")
	return strings.Trim(string(id), `"`)
}

// taskOf returns the id of the task that a response has created.
func taskOf(t testing.TB, response string) string {
	t.Helper()
	id, ok := wire.Lookup([]byte(response), "result", "taskId")
	if !ok {
		t.Fatalf("no task: %s", response)
	}
	return strings.Trim(string(id), `"`)
}

// unsteady is a store that fails when it should.
type unsteady struct {
	task.Memory
	fails atomic.Bool
}

func (s *unsteady) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	if s.fails.Load() {
		return errors.New("no store")
	}
	return s.Memory.Create(ctx, r, limits)
}

// slow is a store whose lists take longer than a request waits.
type slow struct{ task.Memory }

func (s *slow) List(ctx context.Context, _, _ string, _ int) ([]*task.Head, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// lists asks for a list of tasks three times at once, of which one waits for its turn in vain.
func lists(o *observed) {
	s := o.session("Name", "ada")
	var all sync.WaitGroup
	for id := range 3 {
		list := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tasks/list"}`, id+1)
		all.Go(func() { want(o.t, o.do("POST", list, s...), 503, "busy: ") })
	}
	all.Wait()
}

// abandons puts a task of the tool job into s whose process has died.
func (s *unsteady) abandons() {
	now := task.Time(time.Now().Add(-time.Minute))
	r := &task.Record{Head: task.Head{ID: "A1", Principal: "p", Tool: "job", Restart: true, Revision: modernVersion,
		Begun: true, Status: task.Working, Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)}}
	if err := s.Memory.Create(context.Background(), r, task.Limits{PerPrincipal: 1, Total: 1}); err != nil {
		panic(err)
	}
}

// taskEvents are those of tasks.
func taskEvents() map[string]event {
	creates := func(tool string, times int, o task.Options) event {
		return event{edit: withTasks, o: mcp.Options{Tasks: o}, do: func(o *observed) {
			for range times {
				o.creates(tool)
			}
		}}
	}
	ended := func(outcome string) string { return `mcp_tasks_ended_total{outcome="` + outcome + `"}` }
	failing := event{edit: withTasks, o: mcp.Options{Tasks: task.Options{Store: new(unsteady)}}, do: func(o *observed) {
		o.options.Tasks.Store.(*unsteady).fails.Store(true)
		if id := o.creates("short"); id != "" {
			o.t.Errorf("the task %s", id)
		}
	}}
	return map[string]event{
		"mcp_tasks_created_total":  creates("short", 1, task.Options{}),
		ended("completed"):         creates("short", 1, task.Options{}),
		ended("tool_error"):        creates("bad", 1, task.Options{}),
		ended("failed"):            creates("worse", 1, task.Options{}),
		"mcp_tasks_asked_total":    creates("page", 1, task.Options{}),
		"mcp_tasks_deferred_total": creates("job", 2, task.Options{MaxRunning: 2}),
		refusedFor("tasks"):        creates("short", 2, task.Options{MaxPerPrincipal: 1}),
		refusedFor("total_tasks"): {edit: withTasks, opts: mcphttp.Options{Authenticate: named},
			o: mcp.Options{Tasks: task.Options{MaxTotal: 1}}, do: func(o *observed) {
				o.as("ada", "tools/call", "job", `"name":"job"`) // it has not ended when the next one comes
				o.as("eve", "tools/call", "job", `"name":"job"`)
			}},
		refusedFor("task_store"):      failing,
		"mcp_task_store_errors_total": failing,
		refusedFor("task_reads"): {edit: withTasks, opts: mcphttp.Options{Authenticate: named},
			o: mcp.Options{Tasks: task.Options{Store: new(slow)}}, do: lists},
	}
}

// taskEndEvents are those of tasks that end, or go elsewhere.
func taskEndEvents() map[string]event {
	ended := func(outcome string) string { return `mcp_tasks_ended_total{outcome="` + outcome + `"}` }
	late := new(unsteady)
	return map[string]event{
		"mcp_tasks_expired_total": {edit: withTasks, do: func(o *observed) {
			o.creates("short")
			time.Sleep(2 * time.Hour)
		}},
		ended("cancelled"): {edit: withTasks, do: func(o *observed) {
			id := o.creates("job")
			o.about("tasks/cancel", id, `"taskId":"`+id+`"`)
		}},
		"mcp_tasks_running": {edit: withTasks, do: func(o *observed) {
			id := o.creates("job")
			o.is(1)
			o.about("tasks/cancel", id, `"taskId":"`+id+`"`)
		}},
		"mcp_tasks_taken_over_total": {edit: withTasks, o: mcp.Options{Tasks: task.Options{Store: late}},
			do: func(*observed) {
				late.abandons()
				time.Sleep(time.Minute)
			}},
		ended("interrupted"): {edit: withTasks, do: func(o *observed) {
			o.creates("job_once")
			_ = o.srv.Close()
		}},
		"mcp_tasks_given_back_total": {edit: withTasks, o: mcp.Options{Tasks: task.Options{Store: new(unsteady)}},
			do: func(o *observed) {
				o.creates("job")
				_ = o.srv.Close()
			}},
		"mcp_tasks_not_followed_total": {edit: withTasks, do: func(o *observed) {
			s := o.session()
			for i := range 65 {
				o.do("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call",`+
					`"params":{"name":"job","task":{}}}`, 10+i), s...)
			}
		}},
		"mcp_task_progress_dropped_total": {edit: withTasks, do: func(o *observed) {
			s := o.session() // whose client has not opened its stream
			created := o.do("POST", request("tools/call", stepsCall), s...).Body.String()
			synctest.Wait()
			o.do("POST", request("tasks/cancel", `"taskId":"`+taskIDIn(o.t, created)+`"`), s...)
		}},
		requests("tasks/update", "-32602"): {edit: withTasks, do: func(o *observed) {
			o.about("tasks/update", "X", `"taskId":"X","inputResponses":{}`)
		}},
	}
}
