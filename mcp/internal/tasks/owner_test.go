package tasks_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/tasks"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Tasks are those of the subject that has made them, in all methods of both revisions. Another subject, and one that is
// none, gets what it gets for an id that there is not.
func TestTasksOfOthers(t *testing.T) {
	t.Attr("requirements", "task-list-complete task-errors task-owner practice-handle practice-user")
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		server := func(who call.Caller) *taskServer {
			st := newTaskServer(t, &server.Options{Logger: noLog, Caller: who, Tasks: task.Options{Store: shared}})
			for i := range st.features.Tools {
				if st.features.Tools[i].Entry.Name == "once" {
					st.features.Tools[i].Guard = &access.Guard{Access: access.Access{Scopes: []string{"key"}}}
				}
			}
			return st
		}
		key := []string{"key"}
		ann, bob, nobody := server(call.Caller{Subject: "ann", Scopes: key}), server(call.Caller{Subject: "bob"}), server(call.Caller{})
		annWithout := server(call.Caller{Subject: "ann"})
		of := newHarness(t, ann.Server)
		work, once := of.createTask("work"), of.createTask("once")
		alone := newHarness(t, nobody.Server)
		anonymous := alone.createTask("work")
		for _, c := range []struct {
			name string
			st   *taskServer
			ids  []string
		}{
			{"another subject", bob, []string{work, once, anonymous}},
			{"no subject", nobody, []string{work, once}},
			{"without the scope", annWithout, []string{once, anonymous}},
			{"the subject", ann, []string{anonymous}},
		} {
			strange(t, c.name, c.st, c.ids)
		}
		contains(t, of.getTask(work), `"status":"working"`)
		contains(t, of.getTask(once), `"status":"working"`)
		contains(t, alone.getTask(anonymous), `"status":"working"`)
		old := newSession(t, ann.Server, protocol.Revision20251125)
		contains(t, old.ask(request("1", "tasks/list", "")), work, once)
		time.Sleep(2 * time.Hour)
		if list := old.ask(request("1", "tasks/list", "")); strings.Contains(list, work) {
			t.Errorf("the list has a task that has expired: %s", list)
		}
		old.cancel()
		of.cancel()
		alone.cancel()
	})
}

// strange expects that tasks are unknown to the client of a server.
func strange(t *testing.T, name string, st *taskServer, ids []string) {
	t.Helper()
	modern, old := newHarness(t, st.Server), newSession(t, st.Server, protocol.Revision20251125)
	defer modern.cancel()
	defer old.cancel()
	want := modern.ask(withTasks("1", "tasks/get", `"taskId":"UNKNOWN"`))
	for _, id := range ids {
		params := `"taskId":"` + id + `"`
		for method, got := range map[string]string{
			"get":           modern.ask(withTasks("1", "tasks/get", params)),
			"update":        modern.ask(withTasks("1", "tasks/update", params+`,"inputResponses":{}`)),
			"cancel":        modern.ask(withTasks("1", "tasks/cancel", params)),
			"legacy get":    old.ask(request("1", "tasks/get", params)),
			"legacy result": old.ask(request("1", "tasks/result", params)),
			"legacy cancel": old.ask(request("1", "tasks/cancel", params)),
		} {
			if got != want {
				t.Errorf("%s, %s: %s\nwant %s", name, method, got, want)
			}
		}
		if list := old.ask(request("1", "tasks/list", "")); strings.Contains(list, id) {
			t.Errorf("%s: the list has the task: %s", name, list)
		}
	}
}

// A middleware that refuses a call after the task was made leaves no task.
func TestTaskOfFailedMiddleware(t *testing.T) {
	shared := new(task.Memory)
	one(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: shared}}, func(st *taskServer, c *harness) {
		var id string
		use := func(call *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
			if r, err := next(call, p); err != nil || call.TaskID() != "" {
				return r, err
			}
			list, err := shared.List(call, tasks.PrincipalOf(call), "", 1)
			if err != nil || len(list) != 1 {
				t.Errorf("%d tasks, %v", len(list), err)
				return nil, err
			}
			id = list[0].ID
			return nil, errors.New("no")
		}
		st.features.Tools[0].Guard = &access.Guard{Use: call.NewUse(use)}
		contains(t, c.ask(withTasks("1", "tools/call", `"name":"work"`)), `"id":1`)
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"cancelled"`)
	})
}

// A client of 2025-11-25 may ask for less time than the server gives, and not for more.
func TestTaskTimeOfClient(t *testing.T) {
	t.Attr("requirements", "task-ttl")
	opts := &server.Options{Logger: noLog, Tasks: task.Options{TTL: time.Minute}}
	inSession(t, opts, func(_ *taskServer, c *harness) {
		for asked, want := range map[string]string{
			`{}`: "60000", `{"ttl":5000}`: "5000", `{"ttl":1}`: "1000", `{"ttl":0}`: "60000", `{"ttl":-1}`: "60000",
			`{"ttl":9000000000000}`: "60000",
		} {
			created := c.ask(request("1", "tools/call", `"name":"fail","task":`+asked))
			contains(t, created, `"ttl":`+want+`,`)
		}
	})
}
