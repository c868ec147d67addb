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
		for _, tool := range []string{"count", "busy", "share", "now", "deadline", "host", "names", "anything", "next",
			"say"} {
			c.Call(tool, "")
		}
	})
}

// The parameters of a tool are its arguments.
func TestArguments(t *testing.T) {
	transcript.Run(t, "arguments", newServer, func(c *mcptest.Client, _ protocol.Revision) {
		c.Call("plan", `{"project":"OPS"}`)
		c.Call("plan", `{"project":"OPS","number":12,"priority":3,"due":"2026-07-28T12:00:00Z","labels":["a","b"]}`)
		c.Call("sum", `{"a":1,"b":0.5}`)
		c.Call("merge", `{"first":{"project":"A","number":1,"tags":["x"]},"second":{"project":"B","number":2,"tags":["y"]}}`)
		c.Call("wait", `{"until":"2026-07-28T12:00:00Z"}`)
		for _, args := range []string{
			`{}`, `{"project":"ops","number":0,"priority":4,"due":"soon","labels":"a","other":1}`,
			`{"project":"OPS","number":1001}`,
			`{"project":null}`, `{"project":"OPS","number":"1"}`,
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"plan","arguments":`+args+`}`))
		}
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"sum","arguments":{"a":1}}`))
	})
}

// A type is what the functions of the package with a type directive make of it.
func TestMapped(t *testing.T) {
	transcript.Run(t, "mapped", newServer, func(c *mcptest.Client, _ protocol.Revision) {
		c.Call("browse", `{"page":"https://example.com/a?b=c","proxy":"https://proxy","links":["https://x","https://y/z"],"mirrors":{"de":"https://de"},"limit":1.5}`)
		c.Call("browse", `{"page":"https://example.com/","links":[],"mirrors":{}}`)
		c.Call("again", `{"page":"https://example.com/","next":"https://example.com/2","links":["https://x"],"mirrors":{"de":"https://de"},"took":60}`)
		for _, tool := range []string{"home", "mirror", "waits"} {
			c.Call(tool, "")
		}
		for _, args := range []string{
			`{}`, `{"page":1,"links":["http://x","https://%zz"],"mirrors":{"a/b":"ftp://x"},"proxy":null,"limit":"1"}`,
			`{"page":"https://example.com/","links":[],"mirrors":{},"limit":-1}`,
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"browse","arguments":`+args+`}`))
		}
		for _, uri := range []string{"pages:///first", "visits:///last"} {
			c.Read(uri)
		}
	})
}
