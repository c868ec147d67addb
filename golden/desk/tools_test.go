package desk_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// Every kind of result, in each revision.
func TestWireTools(t *testing.T) {
	t.Attr("requirements", "tool-embedded tool-structured")
	var srv *desk.DeskServer
	start := func(t *testing.T) mcptest.Server { srv = newServer(t, 0); return srv }
	transcript.Run(t, "tools", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.List()
		c.Tools()
		c.Call("attachments", "")
		c.Call("picture", "{}")
		c.Call("count_tickets", "")
		c.Call("desk.query", `{"where":{"project":"OPS","number":12}}`)
		c.Call("desk.query", `{"where":{"project":"HR"}}`)
		c.Call("desk.query", `{"where":7}`)
		c.Call("purge", "")
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"picture","arguments":{"big":true}}`))
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"desk.query","arguments":7}`))
		changes := c.SubscribeTools()
		srv.SetPurgeEnabled(false)
		changes.Next()
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"purge"}`))
		changes.Close()
	})
}

// A tool that is added while a client is connected can be listed, called and removed, and its client is told.
func TestWireAddedTools(t *testing.T) {
	var srv *desk.DeskServer
	start := func(t *testing.T) mcptest.Server {
		s, err := desk.NewDeskServer(desk.DeskImpl{Desk: new(desk.Desk)},
			&mcp.Options{DynamicTools: true, UpdateDelay: -1, PageSize: 6})
		if err != nil {
			t.Fatal(err)
		}
		srv = s
		return s
	}
	transcript.Run(t, "added", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"plugin.echo"}`))
		changes := c.SubscribeTools()
		err := srv.AddTool(mcp.DynamicTool{
			Name: "plugin.echo", Title: "Echo", Description: "Says it again.",
			InputSchema: json.RawMessage("{\n  \"type\": \"object\",\n  \"properties\": {\"text\": {\"type\": \"string\"}}\n}"),
			Hints:       &protocol.ToolAnnotations{ReadOnlyHint: new(true)},
			Call: func(_ *mcp.Call, args json.RawMessage) (mcp.ToolResult, error) {
				return mcp.ToolText(string(args)), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		changes.Next()
		c.Tools()
		c.Call("plugin.echo", `{"text": "again"}`)
		c.Call("plugin.echo", "")
		changes.Close()
		again := c.SubscribeTools()
		if there, err := srv.RemoveTool("plugin.echo"); !there || err != nil {
			t.Fatal(there, err)
		}
		again.Next()
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"plugin.echo"}`))
	})
}
