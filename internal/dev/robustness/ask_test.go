package robustness

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// TestQuestionsOfDroppedConnections: calls that ask a person take no place among requests, one client has its share of
// them, and those whose client is gone for longer than it may take to come back end.
func TestQuestionsOfDroppedConnections(t *testing.T) {
	const share = 12
	ended := make(chan error, 100)
	v := newVictim(t, nil, nil, func(f *mcprt.Features) {
		f.Tools[0].Call = func(c *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
			if !strings.Contains(string(args), "ask") {
				return mcprt.ToolResultOf(mcp.ToolText("not asked"), nil)
			}
			_, err := (*mcp.Call)(c).Peer().AskRoots(c)
			ended <- err
			return mcprt.ToolResult{}, err
		}
	})
	s := serve(t, v.srv, mcphttp.Options{MaxRequests: 4, MaxPerClient: share, ResumeTimeout: 20 * time.Millisecond})
	post := func(c *raw, body, more string) {
		c.write(fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\n%s\r\n%s", len(body), more, body))
	}
	var conns []*raw
	for range 3 {
		open := s.dial()
		post(open, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{"roots":{}},"clientInfo":{"name":"fault","version":"1"}}}`, "")
		resp, _ := open.response()
		if resp == nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("no session: %v", resp)
		}
		for i := range 6 {
			c := s.dial()
			post(c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo",`+
				`"arguments":{"ask":1}}}`, i+1), "Mcp-Session-Id: "+resp.Header.Get("Mcp-Session-Id")+"\r\n")
			if got := c.status(); got != http.StatusOK { // the question is asked, or refused
				t.Fatalf("call %d gets %d", i, got)
			}
			conns = append(conns, c)
		}
	}
	for range len(conns) - share {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "too many questions") {
			t.Errorf("a question beyond the share ends with %v", err)
		}
	}
	s.alive()
	for _, c := range conns {
		_ = c.Close()
	}
	s.alive()
	for range share {
		if err := <-ended; err == nil {
			t.Error("a question was answered")
		}
	}
	s.alive()
}
