package tasks_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newAskedSession is a session of 2025-11-25 whose client can show pages to its user, but answers nothing by itself.
func newAskedSession(t testing.TB, s *server.Server) *harness {
	c := newHarness(t, s)
	c.ask(request("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}}},`+
		`"clientInfo":{"name":"t","version":"1"}`))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// recvAll returns what has come for a client until everybody waits.
func (c *harness) recvAll() string {
	synctest.Wait()
	var all strings.Builder
	for len(c.in) > 0 {
		all.WriteString(c.recv() + "\n")
	}
	return all.String()
}

// A request that waits for the result of a task does not wait for answers that the task does not want any more.
func TestTaskResultMovesOn(t *testing.T) {
	for name, end := range map[string]struct{ do, want string }{
		"cancelled": {`tasks/cancel`, `"message":"the task was cancelled"`},
		"expired":   {"", "unknown task"},
	} {
		t.Run(name, func(t *testing.T) {
			one(t, nil, func(st *taskServer, h *harness) {
				c, other := newAskedSession(h.t, st.Server), newAskedSession(h.t, st.Server)
				defer c.cancel()
				defer other.cancel()
				task := `"taskId":"` + member(t, c.ask(request("1", "tools/call", `"name":"ask","task":{"ttl":60000}`)),
					"result", "task", "taskId") + `"`
				synctest.Wait()
				c.send(request("2", "tasks/result", task))
				contains(t, c.recvAll(), `"First?"`, `"Second?"`)
				if end.do != "" {
					contains(t, other.ask(request("3", end.do, task)), `"result":`)
				} else {
					time.Sleep(2 * time.Minute)
				}
				contains(t, c.recvAll(), `"id":2`, end.want, `"method":"notifications/cancelled"`,
					`"_meta":{"io.modelcontextprotocol/related-task":{`+task)
			})
		})
	}
}

// What a tool cannot ask is a failure of the tool in 2025-11-25, with tasks as without.
func TestTaskCannotAsk(t *testing.T) {
	one(t, nil, func(st *taskServer, h *harness) {
		const failed = `{"content":[{"type":"text",` +
			`"text":"the client does not have the capability elicitation.form"}],"isError":true`
		c := newHarness(h.t, st.Server)
		defer c.cancel()
		c.ask(request("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"t","version":"1"}`))
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		contains(t, c.ask(request("1", "tools/call", `"name":"form"`)), failed)
		task := `"taskId":"` + member(t, c.ask(request("1", "tools/call", `"name":"form","task":{}`)),
			"result", "task", "taskId") + `"`
		contains(t, c.ask(request("2", "tasks/result", task)), failed, task)
		contains(t, c.ask(request("3", "tasks/get", task)), `"status":"failed"`)
	})
}

// Two requests that wait for the result of one task both get it, whoever answers its questions.
func TestTaskResultTwice(t *testing.T) {
	t.Attr("requirements", "task-result-waits")
	one(t, nil, func(st *taskServer, h *harness) {
		c, other := newAskedSession(h.t, st.Server), newAskedSession(h.t, st.Server)
		defer c.cancel()
		defer other.cancel()
		task := `"taskId":"` + member(t, c.ask(request("1", "tools/call", `"name":"ask","task":{}`)),
			"result", "task", "taskId") + `"`
		synctest.Wait()
		c.send(request("2", "tasks/result", task))
		other.send(request("2", "tasks/result", task))
		synctest.Wait()
		for range 2 {
			q := other.recv()
			other.send(`{"jsonrpc":"2.0","id":` + member(t, q, "id") + `,"result":{"action":"accept"}}`)
		}
		contains(t, other.recvAll(), `"id":2,"result":`)
		contains(t, c.recvAll(), `"id":2,"result":`)
	})
}

// Requests that wait for results of tasks are bounded, as those that wait for a person; for a result that is there
// nobody waits.
func TestTaskResultsWaitBounded(t *testing.T) {
	t.Attr("requirements", "task-rate")
	inSession(t, &server.Options{Logger: noLog, MaxQuestions: 2}, func(st *taskServer, c *harness) {
		ended := `"taskId":"` + c.createLegacy("fail") + `"`
		works := `"taskId":"` + c.createLegacy("work") + `"`
		<-st.started
		c.recvAll()
		c.send(request("2", "tasks/result", works))
		c.send(request("3", "tasks/result", works))
		synctest.Wait()
		contains(t, c.ask(request("4", "tasks/result", works)), `"id":4,"error":{"code":-32603,`+
			`"message":"busy: too many requests wait already; tasks/get tells the state: try again later"`)
		contains(t, c.ask(request("5", "tasks/result", ended)), `"id":5,"result":`)
		contains(t, c.ask(request("6", "tasks/get", works)), `"id":6,"result":`)
		st.finish <- struct{}{}
		contains(t, c.recvAll(), `"id":2,"result":`, `"id":3,"result":`)
		contains(t, c.ask(request("7", "tasks/result", works)), `"id":7,"result":`)
	})
}

// A tool that runs as a task only is not in the lists of revisions without tasks, whose clients could not call it.
func TestTaskOnlyToolsInLists(t *testing.T) {
	for _, size := range []int{100, 2, 1} {
		for _, rev := range protocol.Revisions() {
			one(t, &server.Options{Logger: noLog, PageSize: size}, func(st *taskServer, h *harness) {
				c := h
				list := withTasks
				if rev <= era.NewestLegacy {
					c, list = newSession(h.t, st.Server, rev), request
					defer c.cancel()
				}
				var names []string
				for cursor := ""; ; {
					got := c.ask(list("1", "tools/list", cursor))
					for _, part := range strings.Split(got, `"name":"`)[1:] {
						name, _, _ := strings.Cut(part, `"`)
						if slices.Contains([]string{"work", "once", "must", "ask", "form", "fail", "refuse", "plain"}, name) {
							names = append(names, name)
						}
					}
					next, more := wire.Lookup([]byte(got), "result", "nextCursor")
					if !more {
						break
					}
					cursor = `"cursor":` + string(next)
				}
				want := []string{"work", "once", "must", "ask", "form", "fail", "refuse", "plain"}
				if rev < era.NewestLegacy {
					want = slices.Delete(want, 2, 3)
					contains(t, c.ask(request("2", "tools/call", `"name":"must"`)), `"code":-32602`, "runs as a task only")
				}
				if !slices.Equal(names, want) {
					t.Errorf("%v, pages of %d: %v", rev, size, names)
				}
			})
		}
	}
}
