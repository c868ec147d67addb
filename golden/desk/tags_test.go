package desk_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// A program that offers some tags only has nothing else, whatever its switches say.
func TestWireTags(t *testing.T) {
	start := func(t *testing.T) mcptest.Server {
		srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: &desk.Desk{}}, &mcp.Options{
			OnlyTags: []string{"staff"}, ExceptTags: []string{"danger"}, UpdateDelay: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		srv.SetPurgeEnabled(true)
		return srv
	}
	transcript.Run(t, "tags", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Tools()
		c.Prompts()
		for _, request := range []struct{ method, params string }{
			{protocol.MethodToolsCall, `{"name":"attachments","arguments":{}}`},
			{protocol.MethodToolsCall, `{"name":"purge","arguments":{}}`},
			{protocol.MethodToolsCall, `{"name":"picture","arguments":{}}`},
			{protocol.MethodPromptsGet, `{"name":"welcome"}`},
			{protocol.MethodResourcesList, `{}`},
			{protocol.MethodResourcesRead, `{"uri":"desk:///faq"}`},
			{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/prompt","name":"desk-report"},"argument":{"name":"open","value":""}}`},
			{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"tone","value":"f"}}`},
		} {
			c.Do(request.method, []byte(request.params))
		}
	})
}
