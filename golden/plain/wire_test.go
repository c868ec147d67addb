package plain_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/plain"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	srv, err := plain.NewPlainServer(plain.PlainImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// What a tool returns that is no object is the member "result" of one, and by itself the text.
func TestResults(t *testing.T) {
	transcript.Run(t, "results", newServer, func(c *mcptest.Client, _ protocol.Revision) {
		c.Tools()
		for _, tool := range []string{"count", "busy", "share", "now", "deadline", "host", "names", "anything", "next", "say"} {
			c.Call(tool, "")
		}
	})
}
