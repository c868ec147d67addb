package robustness

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// badJSON is a value of the program that panics while it is encoded.
type badJSON struct{}

func (badJSON) MarshalJSON() ([]byte, error) { panic("marshaler") }

// explosive adds to features what panics, one for each kind of code that the program has.
func explosive(f *mcprt.Features) {
	f.Capabilities.Completions = new(protocol.ServerCapabilitiesCompletions)
	f.Capabilities.Prompts = new(protocol.ServerCapabilitiesPrompts)
	tool := func(name string, guard *mcprt.Guard, call func(*mcprt.Call, []byte) (mcprt.ToolResult, error)) {
		f.Tools = append(f.Tools, mcprt.Tool{Entry: &protocol.Tool{Name: name,
			InputSchema: json.RawMessage(`{"type":"object"}`)}, Guard: guard, Call: call})
	}
	fine := func(*mcprt.Call, []byte) (mcprt.ToolResult, error) { return mcprt.AsToolText("fine", nil) }
	tool("panic", nil, func(*mcprt.Call, []byte) (mcprt.ToolResult, error) { panic("tool") })
	tool("nil", nil, func(*mcprt.Call, []byte) (mcprt.ToolResult, error) { return *(*mcprt.ToolResult)(nil), nil })
	tool("exit", nil, func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
		runtime.Goexit()
		return mcprt.ToolResult{}, nil
	})
	tool("marshal", nil, func(*mcprt.Call, []byte) (mcprt.ToolResult, error) { return mcprt.AsStructured(badJSON{}, nil) })
	tool("policy", &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{func(*mcprt.Call) error { panic("policy") }}}}, fine)
	tool("around", &mcprt.Guard{Use: mcprt.Use(func(*mcp.Call, mcp.Params, mcp.Next) (mcp.Result, error) { panic("middleware") })},
		fine)
	tool("late", &mcprt.Guard{Use: mcprt.Use(func(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
		_, _ = next(c, p)
		panic("after")
	})}, fine)
	tool("slow", &mcprt.Guard{Limit: mcprt.Limit{Timeout: 20 * time.Millisecond}},
		func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
			<-c.Done()
			panic("after the deadline")
		})
	f.Prompts = []mcprt.Prompt{{Entry: &protocol.Prompt{Name: "panic"},
		Get: func(*mcprt.Call) (mcprt.PromptResult, error) { panic("prompt") }}}
	route, bad := f.Route, len(f.Resources)
	f.Resources = append(f.Resources, mcprt.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "bad:///{name}", Name: "bad"},
		Read:      func(*mcprt.Call) (mcprt.Contents, error) { panic("reader") },
		Subscribe: true,
		Watch:     func(*mcprt.Call) (iter.Seq2[time.Time, error], error) { panic("watcher") },
		Complete: []mcprt.Completer{{Var: "name", Values: func(*mcprt.Call, string, mcprt.CompletionContext) ([]string,
			error) {
			panic("completer")
		}}},
	})
	f.Route = func(uri string, v *mcprt.Vars) int {
		if i := route(uri, v); i >= 0 {
			return i
		}
		if v.Split(uri) && v.Scheme == "bad" && v.N == 2 && v.Take(0, v.Seg[1]) {
			return bad
		}
		return -1
	}
}

// panics are requests that run such code, and what may be answered.
var panics = []struct{ method, name, params, want string }{
	{"tools/call", "panic", `"name":"panic"`, "-32603"},
	{"tools/call", "nil", `"name":"nil"`, "-32603"},
	{"tools/call", "exit", `"name":"exit"`, "-32603"},
	{"tools/call", "marshal", `"name":"marshal"`, "-32603 | failed"},
	{"tools/call", "policy", `"name":"policy"`, "-32602"},
	{"tools/call", "around", `"name":"around"`, "-32603"},
	{"tools/call", "late", `"name":"late"`, "-32603"},
	{"tools/call", "slow", `"name":"slow"`, "failed"},
	{"resources/read", "bad:///x", `"uri":"bad:///x"`, "-32603"},
	{"prompts/get", "panic", `"name":"panic"`, "-32603"},
	{"completion/complete", "", `"ref":{"type":"ref/resource","uri":"bad:///{name}"},"argument":{"name":"name","value":""}`, "-32603"},
}

// TestPanics: a panic in code of the program is an error of its request, and of nothing else.
func TestPanics(t *testing.T) {
	v := newVictim(t, nil, nil, explosive)
	for _, e := range entries(t, v) {
		for i, p := range panics {
			text := `{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"method":"` + p.method + `","params":{` + p.params + e.meta + `}}`
			var got string
			if e.name == "modern" {
				h := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {p.method}}
				if p.name != "" {
					h["Mcp-Name"] = []string{p.name}
				}
				got = answered(v.post(text, h))
			} else {
				got = e.await(text)
			}
			short := outcome(t, got)
			if _, code, found := strings.Cut(short, " "); found { // behind the status
				short = code
			}
			if !allowed(short, p.want) {
				t.Errorf("%s: %s %s: %.300s", e.name, p.method, p.name, got)
			}
			e.echo(t)
		}
	}
}

// TestWatcherPanics: a watcher that panics ends the subscription to its URI only.
func TestWatcherPanics(t *testing.T) {
	v := newVictim(t, nil, nil, explosive)
	e := v.onStdio()
	for _, uri := range []string{"bad:///x", "page:///1"} {
		_ = e.await(`{"jsonrpc":"2.0","id":"` + uri + `","method":"resources/subscribe","params":{"uri":"` + uri + `"}}`)
	}
	e.echo(t)
	v.srv.ResourceUpdated("page:///1")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for got := ""; !strings.Contains(got, `"uri":"page:///1"`); got = e.send(nil) {
		if ctx.Err() != nil {
			t.Fatal("no update came")
		}
		time.Sleep(time.Millisecond)
	}
}
