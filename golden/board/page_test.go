package board_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// apps declares that a client displays apps.
var apps = mcptest.WithExtension("io.modelcontextprotocol/ui", `{"mimeTypes":["text/html;profile=mcp-app"]}`)

// The app of the board: what a client that displays apps sees of it, in each revision.
func TestApp(t *testing.T) {
	t.Attr("requirements", "app-readable app-meta app-visibility")
	start := func(t *testing.T) mcptest.Server { return newWorld(t, nil, 0) }
	transcript.Both(t, "app", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Do(protocol.MethodToolsList, nil)
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"show_board","arguments":{}}`))
		c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"ui://board/cards"}`))
	}, apps)
}

// A client without apps, and one that displays other things, gets the tools for models, with texts.
func TestWithoutApp(t *testing.T) {
	t.Attr("requirements", "app-content app-capability version-extension-fallback app-fallback")
	all := protocol.Revisions()
	for _, rev := range []protocol.Revision{protocol.Revision20250618, all[len(all)-1]} {
		for settings, want := range map[string]string{
			"": "move show_board", `{}`: "move show_board", `{"mimeTypes":["text/html",1]}`: "move show_board",
			`{"mimeTypes":"text/html;profile=mcp-app"}`:                "move show_board",
			`{"mimeTypes":["image/png","text\/html;profile=mcp-app"]}`: "move refresh show_board",
		} {
			opts := []mcptest.Option{mcptest.WithRevision(rev)}
			if settings != "" {
				opts = append(opts, mcptest.WithExtension("io.modelcontextprotocol/ui", settings))
			}
			c := mcptest.New(t, newWorld(t, nil, 1), opts...)
			var names []string
			for _, tool := range c.Tools() {
				names = append(names, tool.Name)
			}
			if got := strings.Join(slices.Sorted(slices.Values(names)), " "); got != want {
				t.Errorf("%s with %q lists %s, want %s", rev, settings, got, want)
			}
			r := c.Call("show_board", `{}`)
			text := r.Content[0].(*protocol.TextContent).Text
			if !strings.Contains(text, "Nine") || !json.Valid([]byte(text)) {
				t.Errorf("without an app: %s", text)
			}
			c.Call("refresh", `{}`) // a host passes on what its page calls, whatever it declares
		}
	}
}

// What a client without apps is offered does not depend on its name.
func TestWireWithoutApp(t *testing.T) {
	t.Attr("requirements", "meta-client-info")
	start := func(t *testing.T) mcptest.Server { return newWorld(t, nil, 0) }
	transcript.Run(t, "without", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(protocol.MethodToolsList, nil)
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"show_board","arguments":{}}`))
	})
}

// A server with an app that also has extensions of other kinds tells clients of all of them, in each revision.
func TestAppBesideExtensions(t *testing.T) {
	other, err := search.NewSearchServer(search.SearchImpl{Index: search.NewIndex()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := mcprt.Join(&mcprt.Features{Info: protocol.Implementation{Name: "both", Version: "1.0.0"}}, nil,
		newWorld(t, nil, 0), other)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range mcp.Revisions() {
		c := mcptest.New(t, joined, mcptest.WithRevision(rev))
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		said := strings.Join(c.Transcript(), "\n")
		_, declared, _ := strings.Cut(said, `"extensions":{`)
		for _, id := range []string{"io.modelcontextprotocol/ui", "com.example/search"} {
			if !strings.Contains(declared, id) {
				t.Errorf("%s: the extension %s is not declared: %s", rev, id, said)
			}
		}
	}
}
