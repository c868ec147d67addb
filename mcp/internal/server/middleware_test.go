package server

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// useServer is a server whose features have one middleware: a tool, a template with completions, a prompt, a method.
func useServer(t *testing.T, use ...call.Middleware) *harness {
	t.Helper()
	guard := &access.Guard{Use: call.NewUse(use...)}
	values := func(_ *call.Call, prefix string, _ feature.CompletionContext) ([]string, error) {
		return []string{prefix + "!"}, nil
	}
	f := &feature.Features{
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, Guard: guard,
			Call: func(c *call.Call, args []byte) (content.ToolResult, error) {
				return content.AsStructured(map[string]any{"args": json.RawMessage(args), "span": c.Value(spanKey{})}, c.Err())
			},
		}},
		Resources: []feature.Resource{{
			Entry: &protocol.Resource{URI: "x://a", Name: "a", MIMEType: "text/plain"}, Guard: guard,
			Read: func(c *call.Call) (content.Contents, error) { return content.Text("read " + c.URI()), nil },
		}},
		Route: func(u string, _ *uri.Vars) int { return map[bool]int{true: 0, false: -1}[u == "x://a"] },
		Prompts: []feature.Prompt{{
			Entry: &protocol.Prompt{Name: "ask", Arguments: []protocol.PromptArgument{{Name: "who"}}}, Guard: guard,
			Get: func(c *call.Call) (content.PromptResult, error) {
				return content.AsPromptText("Hello "+c.Vars.RawText(0, "who"), c.Vars.Err())
			},
			Complete: []feature.Completer{{Var: "who", Values: values}},
		}},
		Extensions: NewExtensions(feature.Extension{ID: "com.example/x", Methods: []feature.Method{{
			Name: "x/do", Guard: guard, Undeclared: true,
			Call: func(_ *call.Call, params []byte) (json.RawMessage, error) { return params, nil },
		}}}),
	}
	f.Capabilities.Completions = new(protocol.ServerCapabilitiesCompletions)
	s, err := NewServer(f, &Options{Logger: noLog})
	if err != nil {
		t.Fatal(err)
	}
	return newHarness(t, s)
}

type spanKey struct{}

// changed is a middleware that changes arguments, the context and the result of each kind.
func changed(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
	switch p := p.(type) {
	case *protocol.CallToolRequestParams:
		p.Arguments = json.RawMessage(`{"new":` + string(p.Arguments) + `}`)
	case *protocol.GetPromptRequestParams:
		p.Arguments.Set("who", "Bob")
	case *protocol.CompleteRequestParams:
		p.Argument.Value += "?"
	case *protocol.RequestParams:
		p.Extra.Set("b", json.RawMessage("2"))
	}
	r, err := next(context.WithValue(c, spanKey{}, "s1"), p)
	switch r := r.(type) {
	case *protocol.CallToolResult:
		r.Extra.Set("x", json.RawMessage("1"))
	case *protocol.ReadResourceResult:
		r.Contents[0].(*protocol.TextResourceContents).Text += ", and more"
	case *protocol.GetPromptResult:
		r.Description = "changed"
	case *protocol.CompleteResult:
		r.Completion.Values = append(r.Completion.Values, "z")
	case protocol.Prepared:
		return append(r[:len(r)-1], `,"c":3}`...), err
	}
	return r, err
}

// Middleware sees and changes the arguments and the result of each kind, and gives the handler a context.
func TestMiddlewareSeesAndChanges(t *testing.T) {
	c := useServer(t, changed)
	for _, x := range []struct{ method, params, want string }{
		{"tools/call", `"name":"echo","arguments":{"a":1}`,
			`"structuredContent":{"args":{"new":{"a":1}},"span":"s1"}`},
		{"tools/call", `"name":"echo"`, `"x":1`},
		{"tools/call", `"name":"echo"`, `"text":"{\"args\":{\"new\":{}},\"span\":\"s1\"}"`},
		{"resources/read", `"uri":"x://a"`, `"text":"read x://a, and more"`},
		{"prompts/get", `"name":"ask","arguments":{"who":"Ada"}`, `"text":"Hello Bob"`},
		{"prompts/get", `"name":"ask"`, `"description":"changed"`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"who","value":"A"}`,
			`"values":["A?!","z"]`},
		{"x/do", `"a":1`, `"a":1,"b":2,"c":3`},
	} {
		got := c.ask(modern("1", x.method, x.params))
		contains(t, got, x.want, `"io.modelcontextprotocol/serverInfo"`)
	}
}

// A result that middleware keeps can be returned for requests of every revision.
func TestMiddlewareCaches(t *testing.T) {
	t.Attr("requirements", "res-cache")
	kept := map[string]protocol.Reply{}
	var runs int
	c := useServer(t, func(c *call.Call, p call.Params, next call.Next) (r protocol.Reply, err error) {
		key := string(p.AppendJSON(nil, protocol.Revision20251125))
		if r := kept[c.Target()]; r != nil && key != "" {
			return r, nil
		}
		runs++
		kept[c.Target()], err = next(c, p)
		return kept[c.Target()], err
	})
	for range 3 {
		contains(t, c.ask(modern("1", "tools/call", `"name":"echo"`)), `"args":{}`, "serverInfo")
		contains(t, c.ask(modern("1", "resources/read", `"uri":"x://a"`)), `"text":"read x://a"`, "serverInfo")
	}
	if runs != 2 {
		t.Errorf("%d runs", runs)
	}
}

// What an inner middleware has kept is not changed by an outer one.
func TestMiddlewareOwnsItsResult(t *testing.T) {
	var kept protocol.Reply
	cache := func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
		var err error
		if kept == nil {
			kept, err = next(c, p)
		}
		return kept, err
	}
	stamp := func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
		reply, err := next(c, p)
		if r, ok := reply.(*protocol.CallToolResult); ok {
			if _, stamped := r.Extra.Get("stamp"); stamped {
				t.Error("the kept result is stamped")
			}
			r.Extra.Set("stamp", json.RawMessage(`1`))
			r.Content = append(r.Content, content.TextBlock("stamped"))
		}
		return reply, err
	}
	c := useServer(t, stamp, cache)
	for range 2 {
		got := c.ask(modern("1", "tools/call", `"name":"echo"`))
		contains(t, got, `"stamp":1`, `"stamped"`)
	}
	if n := len(kept.(*protocol.CallToolResult).Content); n > 1 {
		t.Errorf("the kept result has %d blocks", n)
	}
}

// What middleware must not do is an error, and changes nothing.
func TestMiddlewareMistakes(t *testing.T) {
	for name, use := range map[string]call.Middleware{
		"nothing": func(*call.Call, call.Params, call.Next) (protocol.Reply, error) { return nil, nil },
		"typed nil": func(*call.Call, call.Params, call.Next) (protocol.Reply, error) {
			return (*protocol.CallToolResult)(nil), nil
		},
		"other kind": func(*call.Call, call.Params, call.Next) (protocol.Reply, error) {
			return new(protocol.EmptyResult), nil
		},
		"no params": func(c *call.Call, _ call.Params, next call.Next) (protocol.Reply, error) { return next(c, nil) },
		"nil params": func(c *call.Call, _ call.Params, next call.Next) (protocol.Reply, error) {
			return next(c, (*protocol.CallToolRequestParams)(nil))
		},
		"other params": func(c *call.Call, _ call.Params, next call.Next) (protocol.Reply, error) {
			return next(c, new(protocol.PaginatedRequestParams))
		},
		"other tool": func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
			q := p.(*protocol.CallToolRequestParams)
			q.Name = "secret"
			return next(c, q)
		},
		"no object": func(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
			q := p.(*protocol.CallToolRequestParams)
			q.Arguments = json.RawMessage(`[1]`)
			return next(c, q)
		},
		"nil block": func(*call.Call, call.Params, call.Next) (protocol.Reply, error) {
			return &protocol.CallToolResult{Content: []protocol.ContentBlock{nil}}, nil
		},
		"no JSON": func(*call.Call, call.Params, call.Next) (protocol.Reply, error) {
			return &protocol.CallToolResult{StructuredContent: json.RawMessage(`{`)}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := useServer(t, use).ask(modern("1", "tools/call", `"name":"echo"`))
			contains(t, got, `"isError":true`, "internal error")
			if err := wire.CheckValue([]byte(got)); err != nil {
				t.Error(err)
			}
		})
	}
}
