package tasks_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptask"
)

// Tasks and an extension of the program are attached to a server in one way: each answers its methods, and one listen
// gets what each knows of its filter.
func TestTasksBesideExtension(t *testing.T) {
	f := &feature.Features{
		Info: protocol.Implementation{Name: "t", Version: "1"}, Tasks: mcptask.Serve,
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)}, Task: feature.TaskOnce,
			Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				<-c.Done()
				return content.ToolResult{}, c.Err()
			},
		}},
		Extensions: mcprt.Extensions(feature.Extension{
			ID: "com.example/x", Filters: []feature.Filter{{
				Name: "xListChanged", Undeclared: true,
				Topics: func(*call.Call, []byte) ([]string, error) { return []string{"list"}, nil },
			}},
			Methods: []feature.Method{{
				Name: "com.example/do", Undeclared: true,
				Call: func(*call.Call, []byte) (json.RawMessage, error) { return json.RawMessage(`{"did":true}`), nil },
			}},
		}),
	}
	synctest.Test(t, func(t *testing.T) {
		s, err := server.NewServer(f, &server.Options{Logger: noLog})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		c := newHarness(t, s)
		contains(t, c.ask(modern("1", "com.example/do", "")), `"did":true`)
		contains(t, c.ask(modern("2", "com.example/other", "")), `"method not found"`)
		id := member(t, c.ask(withTasks("3", "tools/call", `"name":"wait"`)), "result", "taskId")
		contains(t, c.ask(withTasks("4", "tasks/get", `"taskId":"`+id+`"`)), `"status":"working"`)
		listen := `"notifications":{"xListChanged":true,"unknown":true,"taskIds":["` + id + `"]}`
		contains(t, c.ask(withTasks("5", "subscriptions/listen", listen)),
			`"notifications":{"xListChanged":true,"taskIds":["`+id+`"]}`)
		contains(t, c.recv(), `"notifications/tasks"`, `"status":"working"`)
		contains(t, c.ask(withTasks("6", "tasks/cancel", `"taskId":"`+id+`"`)), `"id":6`)
		contains(t, c.recv(), `"notifications/tasks"`, `"status":"cancelled"`)
	})
}
