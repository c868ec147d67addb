package tasks_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// A handler may use keys that look like those under which the server asks again: each question has its own answers, and
// no key is used twice in the life of a task.
func TestTaskKeysDoNotCollide(t *testing.T) {
	t.Attr("requirements", "task-ext-keys")
	asksThree := func(c *call.Call, _ []byte) (content.ToolResult, error) {
		var names []string
		for _, key := range []string{"k", "k~2", "k~~2"} {
			p, err := call.AskForm[person](c, c.Peer(), key, "Question "+key+"?")
			if err != nil {
				return content.ToolResult{}, err
			}
			names = append(names, p.Name)
		}
		return content.ToolText(strings.Join(names, " ")), nil
	}
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("keys")
		used := map[string]bool{}
		for _, step := range []struct{ question, content string }{
			{"k", `{"name":1}`}, {"k", `{"name":"a"}`},
			{"k~2", `{"name":3}`}, {"k~2", `{"name":"b"}`},
			{"k~~2", `{"name":[]}`}, {"k~~2", `{"name":"c"}`},
		} {
			synctest.Wait()
			got := c.getTask(id)
			contains(t, got, `"status":"input_required"`, `"message":"Question `+step.question+`?"`)
			_, rest, _ := strings.Cut(got, `"inputRequests":{"`)
			key, _, _ := strings.Cut(rest, `"`)
			if used[key] {
				t.Fatalf("the key %s is used again: %s", key, got)
			}
			used[key] = true
			contains(t, c.ask(withTasks("3", "tasks/update", `"taskId":"`+id+`","inputResponses":{"`+key+
				`":{"action":"accept","content":`+step.content+`}}`)), `"result":{"resultType":"complete"`)
		}
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`, `"text":"a b c"`)
	}, restartable("keys", asksThree))
}

// What a middleware has asked before there was a task is known in it, whatever its key.
func TestTaskKeysOfMiddleware(t *testing.T) {
	t.Attr("requirements", "task-ext-first")
	tool := restartable("after", func(*call.Call, []byte) (content.ToolResult, error) {
		return content.ToolText("done"),
			nil
	})
	tool.Asks = true
	tool.Guard = &access.Guard{Use: call.NewUse(func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
		if _, err := call.AskForm[person](c, c.Peer(), "m~2", "Who?"); err != nil {
			return nil, err
		}
		return next(c, p)
	})}
	one(t, nil, func(_ *taskServer, c *harness) {
		first := c.ask(withTasks("1", "tools/call", `"name":"after"`))
		contains(t, first, `"resultType":"input_required"`, `"m~2":{`)
		created := c.ask(withTasks("2", "tools/call", `"name":"after","requestState":"`+
			member(t, first, "result", "requestState")+
			`","inputResponses":{"m~2":{"action":"accept","content":{"name":"Ada"}}}`))
		contains(t, created, `"resultType":"task"`)
		synctest.Wait()
		contains(t, c.getTask(member(t, created, "result", "taskId")), `"status":"completed"`, `"text":"done"`)
	}, tool)
}

// restartable returns a tool with task=restart.
func restartable(name string, call func(*call.Call, []byte) (content.ToolResult, error)) feature.Tool {
	entry := &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}
	return feature.Tool{Entry: entry, Task: feature.TaskRestart, Call: call}
}
