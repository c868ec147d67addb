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
	"github.com/mcpgen/mcpgen/mcp/internal/tasks"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskServer is a server whose tools may be tasks.
type taskServer struct {
	*server.Server
	tasks    *tasks.Tasks
	features *feature.Features
	started  chan string   // the ids of the tasks that began to work
	finish   chan struct{} // lets one of them finish
}

// newTaskServer returns a server with these tools: work, which may run again, and once, which may not, do what finish
// says; must is a task only; ask asks two questions, form one; fail and refuse fail; plain is never a task. It has more
// after these.
func newTaskServer(t testing.TB, opts *server.Options, more ...feature.Tool) *taskServer {
	st := &taskServer{started: make(chan string, 100), finish: make(chan struct{})}
	work := func(c *call.Call, args []byte) (content.ToolResult, error) {
		st.started <- c.TaskID()
		if c.TaskID() == "" {
			return content.ToolText("plain"), nil
		}
		c.SetStatus("half done")
		if err := c.SaveCheckpoint([]byte("half")); err != nil {
			return content.ToolResult{}, err
		}
		select {
		case <-st.finish:
			return content.ToolText("done " + string(args)), nil
		case <-c.Done():
			return content.ToolResult{}, c.Err()
		}
	}
	tool := func(name string, mode feature.TaskMode, call func(*call.Call, []byte) (content.ToolResult,
		error)) feature.Tool {
		entry := &protocol.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}
		return feature.Tool{Entry: entry, Task: mode, Call: call}
	}
	f := &feature.Features{
		Info: protocol.Implementation{Name: "t", Version: "1"},
		Tasks: func(s *server.Server) error {
			return server.OpenTasks(s, func(c server.TaskConfig) (_ server.Tasks, err error) {
				st.tasks, err = tasks.New(c)
				return st.tasks, err
			})
		},
		Tools: []feature.Tool{
			tool("work", feature.TaskRestart, work), tool("once", feature.TaskOnce, work), tool("must", feature.TaskOnce, work),
			tool("ask", feature.TaskRestart, askTwo), tool("form", feature.TaskRestart, askForm),
			tool("fail", feature.TaskOnce, func(*call.Call, []byte) (content.ToolResult, error) {
				return content.ToolResult{}, content.Errorf("no luck")
			}),
			tool("refuse", feature.TaskOnce, func(*call.Call, []byte) (content.ToolResult, error) {
				r := content.ToolText("x")
				r.Content = append(r.Content, nil)
				panic(r)
			}),
			tool("plain", feature.TaskNever, func(*call.Call, []byte) (content.ToolResult,
				error) {
				return content.ToolText("plain"), nil
			}),
		},
	}
	f.Tools[2].TaskRequired = true
	f.Tools = append(f.Tools, more...)
	if opts == nil {
		opts = &server.Options{Logger: noLog}
	}
	s, err := server.NewServer(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	st.Server, st.features = s, f
	t.Cleanup(func() { _ = s.Close() })
	return st
}

// askTwo asks two questions at once.
func askTwo(c *call.Call, _ []byte) (content.ToolResult, error) {
	first := call.NewURLQuestion("first", "First?", "https://example.com/1")
	second := call.NewURLQuestion("second", "Second?", "https://example.com/2")
	if err := c.Peer().Ask(c, first, second); err != nil {
		return content.ToolResult{}, err
	}
	return content.ToolText(fmt.Sprint(first.Answer(), second.Answer())), nil
}

// askForm asks a question with a form.
func askForm(c *call.Call, _ []byte) (content.ToolResult, error) {
	p, err := call.AskForm[person](c, c.Peer(), "who", "Who?")
	if err != nil {
		return content.ToolResult{}, err
	}
	return content.ToolText("hello " + p.Name), nil
}

// withTasks is a request of the newest revision whose client has the extension, and can be asked.
func withTasks(id, method, params string) string {
	return request(id, method, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},`+
		`"extensions":{"io.modelcontextprotocol/tasks":{}}}}`+comma(params))
}

// member returns a member of a response, as text without quotes.
func member(t testing.TB, response string, path ...string) string {
	t.Helper()
	raw, ok := wire.Lookup([]byte(response), path...)
	if !ok {
		t.Fatalf("%s has no %v", response, path)
	}
	return strings.Trim(string(raw), `"`)
}

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s\nhas no %s", text, p)
		}
	}
}

func (c *harness) createTask(tool string) (id string) {
	c.t.Helper()
	created := c.ask(withTasks("1", "tools/call", `"name":"`+tool+`","arguments":{"n":1}`))
	contains(c.t, created, `"resultType":"task"`, `"status":"working"`, `"ttlMs":3600000`, `"pollIntervalMs":1000`)
	return member(c.t, created, "result", "taskId")
}

func (c *harness) getTask(id string) string {
	c.t.Helper()
	return c.ask(withTasks("2", "tasks/get", `"taskId":"`+id+`"`))
}

// one runs f in a bubble with a server and a connection to it.
func one(t *testing.T, opts *server.Options, f func(st *taskServer, c *harness), more ...feature.Tool) {
	synctest.Test(t, func(t *testing.T) {
		st := newTaskServer(t, opts, more...)
		c := newHarness(t, st.Server)
		f(st, c)
		c.cancel()
	})
}

func TestTaskLifecycle(t *testing.T) {
	t.Attr("requirements", "state-handle task-id task-working task-transitions task-related-ignored task-times "+
		"task-poll task-created")
	one(t, nil, func(st *taskServer, c *harness) {
		contains(t, c.ask(withTasks("4", "server/discover", "")), `"extensions":{"io.modelcontextprotocol/tasks":{}}`)
		id := c.createTask("work")
		if got := <-st.started; got != id {
			t.Errorf("TaskID %q, want %q", got, id)
		}
		time.Sleep(time.Second)
		contains(t, c.getTask(id), `"resultType":"complete"`, `"status":"working"`, `"statusMessage":"half done"`)
		st.finish <- struct{}{}
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`, `"text":"done {\"n\":1}"`)
		contains(t, c.ask(withTasks("3", "tasks/cancel", `"taskId":"`+id+`"`)), `"result":{"resultType":"complete"`)
		time.Sleep(time.Hour)
		contains(t, c.getTask(id), `-32602`)
	})
}

func TestTaskGate(t *testing.T) {
	t.Attr("requirements", "task-ext-only")
	t.Attr("requirements", "result-type-known task-undeclared-request task-hint task-forbidden task-required "+
		"task-ext-declared task-ext-methods")
	one(t, nil, func(st *taskServer, c *harness) {
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			contains(t, c.ask(modern("1", method, `"taskId":"X"`)), `"code":-32021`,
				`"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
			contains(t, c.ask(withTasks("1", method, `"taskId":"X","inputResponses":{}`)), `"code":-32602`)
		}
		for _, wrong := range []string{`"extensions":{"io.modelcontextprotocol/tasks":5}`,
			`"extensions":{"io.modelcontextprotocol/tasks":{}},"sampling":5`} {
			for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
				text := withTasks("1", method, `"taskId":"X","inputResponses":{}`)
				text = strings.Replace(text, `"extensions":{"io.modelcontextprotocol/tasks":{}}`, wrong, 1)
				contains(t, c.ask(text), `"code":-32602`, "must be an object")
			}
		}
		for _, method := range []string{"tasks/result", "tasks/list"} {
			contains(t, c.ask(withTasks("1", method, `"taskId":"X"`)), `"code":-32601`)
		}
		contains(t, c.ask(modern("1", "tools/call", `"name":"must"`)), `"code":-32021`)
		contains(t, c.ask(modern("1", "tools/call", `"name":"work"`)), `"text":"plain"`)
		contains(t, c.ask(withTasks("1", "tools/call", `"name":"plain","task":{"ttl":1}`)), `"text":"plain"`)
	})
}

func TestTaskOutcomes(t *testing.T) {
	t.Attr("requirements", "task-related task-result-ended task-errors task-tool-error task-ext-get")
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("fail")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`, `"isError":true`, "no luck")
		id = c.createTask("refuse")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"failed"`, `"error":{"code":-32603`, `"statusMessage":"internal error`)
	})
}

func TestTaskCancel(t *testing.T) {
	t.Attr("requirements", "task-cancel-ended task-cancel task-ext-cancel")
	one(t, nil, func(st *taskServer, c *harness) {
		id := c.createTask("once")
		<-st.started
		contains(t, c.ask(withTasks("3", "tasks/cancel", `"taskId":"`+id+`"`)), `"resultType":"complete"`)
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"cancelled"`)
		if n := server.Stats(st.Server).Tasks.Running; n != 0 {
			t.Errorf("%d handlers run", n)
		}
	})
}

func TestTaskAsks(t *testing.T) {
	t.Attr("requirements", "task-input task-related task-result-waits task-ext-get task-ext-state")
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("ask")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"input_required"`, `"first":{"method":"elicitation/create"`, `"second":{`)
		update := func(answers string) {
			contains(t, c.ask(withTasks("3", "tasks/update", `"taskId":"`+id+`","inputResponses":`+answers)),
				`"result":{"resultType":"complete"`)
		}
		update(`{"first":{"action":"accept"},"unknown":{"x":1},"second":{"roots":[]}}`)
		got := c.getTask(id)
		contains(t, got, `"status":"input_required"`, `"second":{`)
		if strings.Contains(got, `"first":{`) {
			t.Errorf("an answered question is asked again: %s", got)
		}
		update(`{"second":{"action":"decline"}}`)
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`, "declined")
	})
}

// An answer that does not fit is asked for again at once, with a key that the task has not used before.
func TestTaskUnfitAnswers(t *testing.T) {
	t.Attr("requirements", "ask-answers-valid task-ext-keys")
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("form")
		answer := func(key, name string) string {
			contains(t, c.getTask(id), `"status":"input_required"`, `"inputRequests":{"`+key+`":{`)
			contains(t, c.ask(withTasks("3", "tasks/update", `"taskId":"`+id+`","inputResponses":{"`+key+
				`":{"action":"accept","content":{"name":`+name+`}}}`)), `"result":{"resultType":"complete"`)
			synctest.Wait()
			return c.getTask(id)
		}
		synctest.Wait()
		answer("who", "1")
		answer("who~2", "true")
		contains(t, answer("who~3", `"Ada"`), `"status":"completed"`, `"text":"hello Ada"`)
	})
}

// A client that never gives an answer that fits ends its task.
func TestTaskNeverFits(t *testing.T) {
	one(t, nil, func(st *taskServer, h *harness) {
		c := newAskedSession(h.t, st.Server)
		defer c.cancel()
		task := `"taskId":"` + member(t, c.ask(request("1", "tools/call", `"name":"form","task":{}`)),
			"result", "task", "taskId") + `"`
		c.send(request("2", "tasks/result", task))
		for range 8 {
			q := c.recv()
			contains(t, q, `"method":"elicitation/create"`)
			c.send(`{"jsonrpc":"2.0","id":` + member(t, q, "id") + `,"result":{"action":"accept","content":{"name":1}}}`)
		}
		contains(t, c.recv(), `"id":2,"result":`, `"isError":true`, "/name: must be a string")
	})
}

func TestTaskNotifications(t *testing.T) {
	t.Attr("requirements", "task-ext-listen task-ext-progress task-ext-listen-undeclared")
	one(t, nil, func(st *taskServer, c *harness) {
		id := c.createTask("work")
		<-st.started
		contains(t, c.ask(modern("5", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)), `"code":-32021`)
		ack := c.ask(withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`","UNKNOWN"]}`))
		contains(t, ack, `"notifications":{"taskIds":["`+id+`"]}`)
		contains(t, c.recv(), `"method":"notifications/tasks"`, `"status":"working"`, `"half done"`)
		st.finish <- struct{}{}
		contains(t, c.recv(), `"method":"notifications/tasks"`, `"status":"completed"`,
			`"io.modelcontextprotocol/subscriptionId":6`, `"text":"done`)
		ack = c.ask(withTasks("8", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`))
		contains(t, ack, `"taskIds":["`+id+`"]`)
		contains(t, c.recv(), `"status":"completed"`, `"io.modelcontextprotocol/subscriptionId":8`) // ended before
		other := c.createTask("work")
		<-st.started
		contains(t, c.ask(withTasks("7", "tasks/cancel", `"taskId":"`+other+`"`)), `"id":7`)
		synctest.Wait()
		c.quiet2()
	})
}

// quiet2 is quiet for a client of the newest revision.
func (c *harness) quiet2() {
	c.t.Helper()
	contains(c.t, c.ask(withTasks("99", "server/discover", "")), `"id":99`)
}

func TestTaskOfTwoServers(t *testing.T) {
	t.Attr("requirements", "state-process task-created")
	synctest.Test(t, func(t *testing.T) {
		store := new(task.Memory)
		opts := &server.Options{Logger: noLog, Tasks: task.Options{Store: store}}
		a, b := newTaskServer(t, opts), newTaskServer(t, opts)
		ca, cb := newHarness(t, a.Server), newHarness(t, b.Server)
		id := ca.createTask("work")
		<-a.started
		contains(t, cb.getTask(id), `"status":"working"`)
		contains(t, cb.ask(withTasks("3", "tasks/cancel", `"taskId":"`+id+`"`)), `"resultType":"complete"`)
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if n := server.Stats(a.Server).Tasks.Running; n != 0 {
			t.Errorf("%d handlers run after the cancellation", n)
		}
		ca.cancel()
		cb.cancel()
	})
}
