package tasks_test

import (
	"strings"
	"testing"
	"testing/synctest"
)

// createAsking makes a task that asks two questions, in a session, and returns its params.
func (c *harness) createAsking() (params string) {
	c.t.Helper()
	created := c.ask(request("1", "tools/call", `"name":"ask","task":{"ttl":60000}`))
	contains(c.t, c.recv(), statusNotification, `"status":"input_required"`)
	return `"taskId":"` + member(c.t, created, "result", "task", "taskId") + `"`
}

// poll asks for the state of a task that waits for input, and returns what else comes.
func (c *harness) poll(params string) (rest string) {
	c.t.Helper()
	c.send(request("5", "tasks/get", params))
	all := c.recvAll()
	contains(c.t, all, `"id":5`, `"status":"input_required"`)
	for line := range strings.Lines(all) {
		if !strings.Contains(line, `"id":5`) {
			rest += line
		}
	}
	return rest
}

// answer accepts all questions among messages.
func (c *harness) answer(messages string) {
	c.t.Helper()
	for line := range strings.Lines(messages) {
		if strings.Contains(line, `"method":"elicitation/create"`) {
			c.send(`{"jsonrpc":"2.0","id":` + member(c.t, line, "id") + `,"result":{"action":"accept"}}`)
		}
	}
}

// A client that only polls gets the questions of its task all the same, once, and its answers end them.
func TestTaskAsksWhoPolls(t *testing.T) {
	one(t, nil, func(st *taskServer, h *harness) {
		c := newAskedSession(h.t, st.Server)
		defer c.cancel()
		params := c.createAsking()
		if got := c.poll(params); got != "" {
			t.Fatalf("asked before the client could ask for the result: %s", got)
		}
		questions := c.poll(params)
		contains(t, questions, `"First?"`, `"Second?"`, `"io.modelcontextprotocol/related-task":{`+params+`}`)
		if got := c.poll(params); got != "" {
			t.Errorf("asked twice: %s", got)
		}
		c.answer(questions)
		contains(t, c.recv(), statusNotification, `"status":"completed"`)
		contains(t, c.ask(request("6", "tasks/result", params)), `"id":6,"result":{`, params)
		synctest.Wait()
		if n := st.tasks.Asked(); n != 0 {
			t.Errorf("%d tasks are still asked about", n)
		}
	})
}

// A request for the result takes the questions back and asks itself, and polls beside it ask nothing.
func TestTaskResultAsksInstead(t *testing.T) {
	one(t, nil, func(st *taskServer, h *harness) {
		c := newAskedSession(h.t, st.Server)
		defer c.cancel()
		params := c.createAsking()
		c.poll(params)
		contains(t, c.poll(params), `"First?"`)
		c.send(request("6", "tasks/result", params))
		got := c.recvAll()
		contains(t, got, `"First?"`, `"Second?"`)
		if n := strings.Count(got, `"method":"notifications/cancelled"`); n != 2 {
			t.Errorf("%d questions taken back, want 2: %s", n, got)
		}
		for range 3 {
			if got := c.poll(params); got != "" {
				t.Errorf("asked while a request waits for the result: %s", got)
			}
		}
		c.answer(got)
		contains(t, c.recvAll(), `"id":6,"result":{`)
	})
}

// The questions of a task that is cancelled are taken back, and nothing is left of them when the session ends either.
func TestTaskAsksWhoPollsEnds(t *testing.T) {
	one(t, nil, func(st *taskServer, h *harness) {
		c, other := newAskedSession(h.t, st.Server), newAskedSession(h.t, st.Server)
		params := c.createAsking()
		c.poll(params)
		c.poll(params)
		for range 3 {
			if got := other.poll(params); got != "" {
				t.Errorf("another session is asked: %s", got)
			}
		}
		contains(t, other.ask(request("7", "tasks/cancel", params)), `"status":"cancelled"`)
		contains(t, c.recvAll(), `"method":"notifications/cancelled"`)
		contains(t, c.recv(), statusNotification, `"status":"cancelled"`)
		params = c.createAsking()
		c.poll(params)
		c.poll(params)
		c.cancel()
		other.cancel()
		synctest.Wait()
		synctest.Wait()
		if n := st.tasks.Asked(); n != 0 {
			t.Errorf("%d tasks are still asked about", n)
		}
	})
}
