package tasks_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// inSession runs f in a bubble with a server and a session of 2025-11-25.
func inSession(t *testing.T, opts *server.Options, f func(st *taskServer, c *harness)) {
	synctest.Test(t, func(t *testing.T) {
		st := newTaskServer(t, opts)
		c := newSession(t, st.Server, protocol.Revision20251125)
		f(st, c)
		c.cancel()
	})
}

// createLegacy makes a task in a session, and returns its id.
func (c *harness) createLegacy(tool string) string {
	c.t.Helper()
	created := c.ask(request("1", "tools/call", `"name":"`+tool+`","arguments":{"n":1},"task":{"ttl":60000}`))
	contains(c.t, created, `"task":{`, `"status":"working"`)
	return member(c.t, created, "result", "task", "taskId")
}

const statusNotification = `"method":"notifications/tasks/status"`

func TestTaskStatusNotifications(t *testing.T) {
	t.Attr("requirements", "task-notification")
	for name, opts := range map[string]*server.Options{
		"memory": {Logger: noLog},
		"store":  {Logger: noLog, Tasks: task.Options{Store: new(task.Memory)}},
	} {
		t.Run(name, func(t *testing.T) {
			inSession(t, opts, func(st *taskServer, c *harness) {
				id := c.createLegacy("work")
				<-st.started
				got := c.recv()
				contains(t, got, statusNotification, `"taskId":"`+id+`"`, `"status":"working"`, `"half done"`, `"ttl":60000`)
				if strings.Contains(got, "related-task") || strings.Contains(got, `"_meta"`) {
					t.Errorf("more than the task: %s", got)
				}
				st.finish <- struct{}{}
				got = c.recv()
				contains(t, got, statusNotification, `"taskId":"`+id+`"`, `"status":"completed"`)
				if strings.Contains(got, `"result"`) {
					t.Errorf("a notification with the result: %s", got)
				}
				id = c.createLegacy("fail")
				contains(t, c.recv(), statusNotification, `"taskId":"`+id+`"`, `"status":"failed"`)
				id = c.createLegacy("once")
				<-st.started
				contains(t, c.recv(), statusNotification, `"half done"`)
				contains(t, c.ask(request("3", "tasks/cancel", `"taskId":"`+id+`"`)), `"status":"cancelled"`)
				contains(t, c.recv(), statusNotification, `"taskId":"`+id+`"`, `"status":"cancelled"`)
				time.Sleep(2 * time.Minute) // expired
				c.quiet()
			})
		})
	}
}

// The statuses of a task whose changes come faster than they are sent are coalesced, and the last one follows.
func TestTaskStatusCoalesces(t *testing.T) {
	inSession(t, nil, func(st *taskServer, c *harness) {
		id := c.createLegacy("work")
		<-st.started
		st.finish <- struct{}{}
		contains(t, c.recv(), statusNotification, `"taskId":"`+id+`"`, `"status":"completed"`)
		c.quiet()
	})
}

// Other sessions are told nothing, nor is a client whose call was no task.
func TestTaskStatusOfOthers(t *testing.T) {
	inSession(t, nil, func(st *taskServer, c *harness) {
		other := newSession(c.t, st.Server, protocol.Revision20251125)
		c.createLegacy("fail")
		contains(t, c.recv(), statusNotification)
		contains(t, c.ask(request("2", "tools/call", `"name":"fail"`)), `"isError":true`)
		c.quiet()
		other.quiet()
		other.cancel()
	})
}

// A session is told of a bounded number of tasks: those that have ended make room.
func TestTaskStatusBound(t *testing.T) {
	inSession(t, &server.Options{Logger: noLog, MaxSubscriptions: session.MaxTasks}, func(st *taskServer, c *harness) {
		first := c.createLegacy("work")
		<-st.started
		contains(t, c.recv(), statusNotification, `"half done"`)
		for i := range session.MaxTasks + 20 {
			id := c.createLegacy("fail")
			got := c.recv()
			contains(t, got, statusNotification, fmt.Sprintf(`"taskId":"%s"`, id))
			if t.Failed() {
				t.Fatalf("the task %d", i)
			}
		}
		if n := server.HostOf(st.Server).Hub.Stats().Subscriptions; n != session.MaxTasks {
			t.Errorf("%d subscriptions, want %d", n, session.MaxTasks)
		}
		st.finish <- struct{}{}
		contains(t, c.recv(), statusNotification, `"taskId":"`+first+`"`, `"status":"completed"`)
	})
}
