package tasks_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// A server whose tags leave out all tools that may be tasks has no tasks.
func TestTaskTags(t *testing.T) {
	plain := feature.Tool{
		Entry: &protocol.Tool{Name: "tagged", InputSchema: []byte(`{"type":"object"}`)}, Tags: []string{"read"},
		Call: func(*call.Call, []byte) (content.ToolResult, error) { return content.ToolText("plain"), nil },
	}
	one(t, &server.Options{Logger: noLog, OnlyTags: []string{"read"}}, func(_ *taskServer, c *harness) {
		if told := c.ask(withTasks("1", "server/discover", "")); strings.Contains(told, "io.modelcontextprotocol/tasks") {
			t.Errorf("declared: %s", told)
		}
		contains(t, c.ask(withTasks("2", "tools/call", `"name":"tagged"`)), `"text":"plain"`)
		contains(t, c.ask(withTasks("3", "tasks/get", `"taskId":"X"`)), `-32601`)
	}, plain)
}
