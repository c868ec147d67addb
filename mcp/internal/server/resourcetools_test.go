package server

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// cupboard is a server whose resources can be reached by tools.
func cupboard(t *testing.T, opts Options) *Server {
	t.Helper()
	opts.Logger = silent()
	uris := []string{"a:///text", "a:///dot", "a:///bytes", "a:///shut", "a:///bad", "a:///asks"}
	entry := func(i int, mime string) *protocol.Resource {
		return &protocol.Resource{URI: uris[i], Name: uris[i][5:], MIMEType: mime}
	}
	s, err := NewServer(&feature.Features{
		Capabilities:  protocol.ServerCapabilities{Resources: new(protocol.ServerCapabilitiesResources)},
		PageSize:      4,
		ResourceTools: ResourceTools,
		Resources: []feature.Resource{
			{Entry: entry(0, "text/plain"), Static: new(content.Text("hello"))},
			{Entry: entry(1, "image/png"), Read: func(*call.Call) (content.Contents, error) {
				return content.AsBlob([]byte{1, 2, 3}, nil)
			}},
			{Entry: entry(2, "application/zip"), Read: func(*call.Call) (content.Contents, error) {
				return content.AsBlob([]byte{1, 2, 3}, nil)
			}},
			{Entry: entry(3, ""), Guard: &access.Guard{Access: access.Access{Scopes: []string{"key"}}},
				Static: new(content.Text("inside"))},
			{Entry: entry(4, ""), Read: func(*call.Call) (content.Contents, error) {
				return content.Contents{}, errors.New("disk 7 is full")
			}},
			{Entry: entry(5, ""), Asks: true, Read: func(c *call.Call) (content.Contents, error) {
				p, err := call.AskForm[person](c, c.Peer(), "user_name", "Who?")
				return content.AsText("hello "+p.Name, err)
			}},
			{Template: &protocol.ResourceTemplate{URITemplate: "b:///{x}", Name: "b"},
				Read: func(c *call.Call) (content.Contents, error) {
					return content.AsText(c.Vars.RawText(0, "x"), nil)
				}},
		},
		Route: func(uri string, v *uri.Vars) int {
			for i := range uris {
				if uri == uris[i] {
					return i
				}
			}
			if v.Split(uri) && v.Scheme == "b" && v.Take(0, v.Seg[1]) {
				return 6
			}
			return -1
		},
	}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a tool that stands in for a method answers is what the method does, as content for a model.
func TestResourceTools(t *testing.T) {
	t.Attr("requirements", "res-patterns")
	for _, who := range []struct {
		scopes []string
		shut   string
	}{
		{nil, `"result":{"isError":true,"content":[{"type":"text","text":"a:///shut: resource not found"}]}`},
		{[]string{"key"}, `"result":{"content":[{"type":"text","text":"inside"}]}`},
	} {
		c := newSession(t, cupboard(t, Options{Caller: call.Caller{Subject: "ann", Scopes: who.scopes}}),
			protocol.Revision20251125)
		for uri, want := range map[string]string{
			"a:///text":  `"result":{"content":[{"type":"text","text":"hello"}]}`,
			"a:///dot":   `"result":{"content":[{"type":"image","data":"AQID","mimeType":"image/png"}]}`,
			"a:///bytes": `"result":{"content":[{"type":"resource","resource":{"uri":"a:///bytes","mimeType":"application/zip","blob":"AQID"}}]}`,
			"a:///bad":   `"result":{"isError":true,"content":[{"type":"text","text":"*a:///bad: internal error (ref "}]}`,
			"b:///x%20y": `"result":{"content":[{"type":"text","text":"x y"}]}`,
			"c:///":      `"result":{"isError":true,"content":[{"type":"text","text":"c:///: resource not found"}]}`,
			"a:///shut":  who.shut,
		} {
			wantMatch(t, c.ask(toolCall("1", "read_resource", `{"uri":"`+uri+`"}`)), `{"jsonrpc":"2.0","id":1,`+want+`}`)
		}
	}
}

// Pages are those of the lists of the caller, with the templates on the first.
func TestResourceToolsList(t *testing.T) {
	c := newSession(t, cupboard(t, Options{}), protocol.Revision20251125)
	first := c.ask(toolCall("1", "list_resources", "{}"))
	for _, want := range []string{`resourceTemplates\":[{\"uriTemplate\":\"b:///{x}\"`, `a:///text`, `a:///bad`,
		`nextCursor`} {
		if !strings.Contains(first, want) || strings.Contains(first, "shut") {
			t.Fatalf("%s is not in %s", want, first)
		}
	}
	_, cursor, _ := strings.Cut(first, `nextCursor\":\"`)
	cursor, _, _ = strings.Cut(cursor, `\`)
	wantMatch(t, c.ask(toolCall("2", "list_resources", `{"cursor":"`+cursor+`"}`)),
		`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"resources\":[{\"uri\":\"a:///asks\",\"name\":\"asks\"}]}"}]}}`)
	wantMatch(t, c.ask(toolCall("3", "list_resources", `{"cursor":"x"}`)),
		`{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":"*cursor"}]}}`)
}

// Wrong arguments are told like those of any tool.
func TestResourceToolsArguments(t *testing.T) {
	c := newSession(t, cupboard(t, Options{}), protocol.Revision20251125)
	for args, want := range map[string]string{
		`{}`:                     "/uri: is required",
		`{"uri":1}`:              "/uri: must be a string",
		`{"uri":"a:///x","n":1}`: "/n: unknown argument",
	} {
		wantMatch(t, c.ask(toolCall("1", "read_resource", args)),
			`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"invalid arguments: `+want+`"}]}}`)
	}
	old := newSession(t, cupboard(t, Options{}), protocol.Revision20250326)
	wantMatch(t, old.ask(toolCall("1", "read_resource", `{}`)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*/uri: is required","…":0}}`)
}

// A resource that asks does so through the tool, in both eras.
func TestResourceToolsAsk(t *testing.T) {
	s := cupboard(t, Options{})
	c := newHarness(t, s)
	ask := func(id, more string) string {
		return c.ask(request(id, "tools/call",
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+
				everything+`},"name":"read_resource","arguments":{"uri":"a:///asks"}`+comma(more)))
	}
	first := ask("1", "")
	wantMatch(t, first, inputRequired("1", `{"user_name":{"…":0}}`))
	answer := `"inputResponses":{"user_name":` + adaForm + `},"requestState":"` + stateOf(t, first) + `"`
	wantMatch(t, ask("2", answer), `{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"hello Ada"}],"_meta":{"…":0}}}`)
	wantMatch(t, c.ask(modern("3", "tools/call", `"name":"read_resource","arguments":{"uri":"a:///asks"}`)),
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32021,"…":0}}`)
}

// The tools are there because of the resources, and other tools may not have their names.
func TestResourceToolsDeclared(t *testing.T) {
	f := feature.Features{ResourceTools: ResourceTools}
	s, err := NewServer(&f, &Options{Logger: silent()})
	if err != nil || s.features.Capabilities.Tools != nil {
		t.Errorf("a server without resources has tools, or %v", err)
	}
	f.Capabilities.Resources = new(protocol.ServerCapabilitiesResources)
	f.Tools = []feature.Tool{{Entry: &protocol.Tool{Name: "read_resource"},
		Call: func(*call.Call, []byte) (content.ToolResult, error) { return content.AsDone(nil) }}}
	_, err = NewServer(&f, nil)
	if err == nil || !strings.Contains(err.Error(), `tool "read_resource": is declared already`) {
		t.Errorf("two tools of one name: %v", err)
	}
	full := cupboard(t, Options{})
	if err := full.AddTool(feature.DynamicTool{Name: "more",
		Call: func(*call.Call, json.RawMessage) (content.Result, error) { return content.ToolText("x"), nil }}); err != nil {
		t.Error(err)
	}
	c := newSession(t, full, protocol.Revision20251125)
	list := c.ask(request("1", "tools/list", ""))
	for _, name := range []string{"list_resources", "read_resource", "more"} {
		if !strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("no %s in %s", name, list)
		}
	}
}
