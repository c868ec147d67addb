package diary_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/diary"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// What callers with both scopes, with one and with none are told.
func TestWire(t *testing.T) {
	start := func(t *testing.T) mcptest.Server {
		t.Helper()
		srv, err := diary.NewDiaryServer(diary.DiaryImpl{Diary: new(diary.Diary)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return srv
	}
	for name, scopes := range map[string][]string{
		"both": {"diary.read", "diary.write"}, "reader": {"diary.read"}, "nobody": nil,
	} {
		who := mcp.Caller{Subject: "ann", Scopes: scopes}
		transcript.Run(t, name, start, func(c *mcptest.Client, _ protocol.Revision) {
			c.Do(protocol.MethodToolsList, nil)
			c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"write","arguments":{"text":"Sunny."}}`))
			c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"write","arguments":{"text":""}}`))
			c.List()
			c.Do(protocol.MethodResourcesRead, json.RawMessage(`{"uri":"diary:///entries"}`))
		}, mcptest.WithCaller(who))
	}
}
