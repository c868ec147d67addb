package server

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// waitingServer has a tool that asks the client for its folders, one that says "fine", and one that waits for its end.
// It tells what the questions came to, and that a wait is over.
func waitingServer(t *testing.T, opts *Options) (s *Server, fates chan error) {
	t.Helper()
	fates = make(chan error, 1000)
	entry := func(name string) *protocol.Tool {
		return &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}
	}
	opts.Logger = noLog
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Tools: new(protocol.ServerCapabilitiesTools)},
		Tools: []feature.Tool{
			{Entry: entry("ask"), Asks: true, Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				_, err := c.Peer().AskRoots(c)
				fates <- err
				return content.ToolText("asked"), err
			}},
			{Entry: entry("fine"), Call: func(*call.Call, []byte) (content.ToolResult, error) {
				return content.ToolText("fine"),
					nil
			}},
			{Entry: entry("wait"), Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				<-c.Done()
				fates <- c.Err()
				return content.ToolText("waited"), nil
			}},
		},
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, fates
}

// On one connection, requests that wait for a person do not count among those in flight; the end of input ends them.
func TestQuestionsAreNotInFlight(t *testing.T) {
	s, fates := waitingServer(t, &Options{MaxInFlight: 1, MaxQuestions: 2})
	c := newHarness(t, s)
	c.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	call := func(id int, name string) string {
		return c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, name))
	}
	for id := 1; id <= 2; id++ {
		if got := call(id, "ask"); !strings.Contains(got, `"method":"roots/list"`) {
			t.Fatalf("%s", got)
		}
		if got := call(10+id, "fine"); !strings.Contains(got, "fine") {
			t.Errorf("%s", got)
		}
	}
	if got := call(3, "ask"); !strings.Contains(got, "too many questions") {
		t.Errorf("%s", got)
	}
	if err := <-fates; err == nil || !strings.Contains(err.Error(), "too many questions") {
		t.Error(err)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
	if got := c.recv(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("%s", got)
	}
	if err := <-fates; err != nil {
		t.Error(err)
	}
	_ = c.conn.Close()
	if err := <-fates; !errors.Is(err, content.ErrNoAnswer) {
		t.Error(err)
	}
}

// A cancellation that is read right behind its call hits it, in a batch too.
func TestCancelledRightAway(t *testing.T) {
	s, _ := waitingServer(t, &Options{})
	for _, rev := range []protocol.Revision{protocol.Revision20250326, protocol.Revision20251125} {
		c := newSession(t, s, rev)
		const pairs = 200
		for id := range pairs {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`, id)
			cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
			if rev == protocol.Revision20250326 && id%2 == 0 {
				c.send("[" + call + "," + cancel + "]")
				continue
			}
			c.send(call)
			c.send(cancel)
		}
		// A call that was hit before it began never begins. Each is over when its id is free again.
		for id := range pairs {
			again := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fine"}}`, id)
			got := c.ask(again)
			for tries := 0; !strings.Contains(got, `"fine"`) && tries < 1000; tries++ {
				time.Sleep(10 * time.Millisecond)
				got = c.ask(again)
			}
			if !strings.Contains(got, `"fine"`) {
				t.Fatalf("%s: call %d goes on: %s", rev, id, got)
			}
		}
	}
}
