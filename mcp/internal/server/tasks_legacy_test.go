package server

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newAskedSession is a session of 2025-11-25 whose client can show pages to its user, but answers nothing by itself.
func newAskedSession(t testing.TB, s *Server) *harness {
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
				contains(t, c.recvAll(), `"id":2`, end.want, `"method":"notifications/cancelled"`)
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
