package tasks_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// seesClient says what a handler can read of its client.
func seesClient(c *call.Call, _ []byte) (content.ToolResult, error) {
	text := ""
	for _, a := range []struct {
		name string
		of   call.ClientCapability
	}{{"form", call.Elicitation}, {"url", call.ElicitationURL}, {"sampling", call.Sampling}, {"roots", call.Roots},
		{"apps", call.Apps}} {
		if c.Peer().Can(a.of) {
			text += a.name + " "
		}
	}
	if text == "" {
		return content.ToolResult{}, content.Errorf("the client can nothing")
	}
	return content.ToolText(text), nil
}

// The run of a task sees of its client what the call saw, in both revisions; what nobody reads is not kept.
func TestTaskMeta(t *testing.T) {
	large := strings.Repeat("x", 2<<20)
	const able = `"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{},"extensions":{` +
		`"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]},"io.modelcontextprotocol/tasks":{}}`
	const want = "form url sampling roots apps "
	store := new(task.Memory)
	opts := func() *server.Options { return &server.Options{Logger: noLog, Tasks: task.Options{Store: store}} }
	kept := func(t *testing.T, id string) {
		t.Helper()
		r, err := store.Get(t.Context(), id)
		if err != nil || len(r.Meta) > 2048 {
			t.Errorf("%d bytes of _meta are kept, %v", len(r.Meta), err)
		}
	}
	waits := restartable("waits", func(c *call.Call, _ []byte) (content.ToolResult,
		error) {
		<-c.Done()
		return content.ToolResult{}, c.Err()
	})
	sees := restartable("sees", seesClient)
	one(t, opts(), func(_ *taskServer, c *harness) {
		call := func(tool, more string) string {
			return c.ask(request("1", "tools/call", `"name":"`+tool+`","arguments":{},`+
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+more+
				`"io.modelcontextprotocol/clientCapabilities":{`+able+`}}`))
		}
		more := `"extra":"` + large + `","io.modelcontextprotocol/clientInfo":{"name":"n","version":"1","title":"` +
			large + `"},`
		kept(t, member(t, call("waits", more), "result", "taskId"))
		id := member(t, call("sees", more), "result", "taskId")
		synctest.Wait()
		contains(t, c.getTask(id), want)
		long := `"io.modelcontextprotocol/clientInfo":{"name":"` + large + `","version":"1"},`
		kept(t, member(t, call("waits", long), "result", "taskId"))
	}, sees, waits)
	one(t, opts(), func(st *taskServer, h *harness) {
		c := newHarness(h.t, st.Server)
		defer c.cancel()
		c.ask(request("0", "initialize", `"protocolVersion":"2025-11-25","clientInfo":{"name":"n","version":"1"},`+
			`"capabilities":{`+able+`}`))
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		created := c.ask(request("1", "tools/call", `"name":"sees","arguments":{},"task":{}`))
		synctest.Wait()
		got := c.ask(request("2", "tasks/result", `"taskId":"`+member(t, created, "result", "task", "taskId")+`"`))
		contains(t, got, want)
	}, sees)
}

// A task of a tool that reports a failure says why in its status message: the first text of the result, cut.
func TestFailedTaskSaysWhy(t *testing.T) {
	t.Attr("requirements", "task-messages")
	fails := func(name, text string, before ...protocol.ContentBlock) feature.Tool {
		return restartable(name, func(c *call.Call, _ []byte) (content.ToolResult, error) {
			c.SetStatus("half done")
			r := content.ToolText(text)
			r.Content, r.IsError = append(before, r.Content...), true
			return r, nil
		})
	}
	picture := &protocol.ImageContent{Data: []byte("AAAA"), MIMEType: "image/png"}
	one(t, nil, func(st *taskServer, h *harness) {
		c := newSession(h.t, st.Server, protocol.Revision20251125)
		defer c.cancel()
		for tool, why := range map[string]string{
			"fail": "no luck", "paper": "out of paper", "long": strings.Repeat("ä", 512), "mute": "half done",
		} {
			id := c.createLegacy(tool)
			time.Sleep(time.Second)
			c.recvAll() // notifications
			message := `"statusMessage":"` + why + `"`
			contains(h.t, c.ask(request("2", "tasks/get", `"taskId":"`+id+`"`)), `"status":"failed"`, message)
			contains(h.t, c.ask(withTasks("3", "tasks/get", `"taskId":"`+id+`"`)), `"status":"completed"`, message)
		}
	}, fails("paper", "out of paper", picture), fails("long", strings.Repeat("ä", 1000)), fails("mute", ""))
}
