package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// tagged has a resource x:///a and a template with a subscription each, a tool and a prompt.
func tagged() *feature.Features {
	f := memberFixture{name: "one", literal: "x:///a", template: "y:///{x}", match: anySegment, tool: "write"}.features()
	f.ResourceTools = server.ResourceTools
	f.Resources[0].Tags, f.Resources[0].Subscribe = []string{"read", "open"}, false
	f.Resources[1].Tags = []string{"read", "deep"}
	f.Resources[1].Complete = []feature.Completer{{Var: "x",
		Values: func(*call.Call, string, feature.CompletionContext) ([]string,
			error) {
			return nil, nil
		}}}
	f.Tools[0].Tags, f.Tools[0].Logs = []string{"write"}, true
	f.Prompts = []feature.Prompt{{Entry: &protocol.Prompt{Name: "ask"},
		Get: func(*call.Call) (content.PromptResult, error) { return content.PromptResult{}, nil }}}
	f.Capabilities.Prompts = new(protocol.ServerCapabilitiesPrompts)
	f.Capabilities.Completions = new(protocol.ServerCapabilitiesCompletions)
	return f
}

// offered says what clients of s can use, and what it promises to them.
func offered(t *testing.T, s *server.Server) string {
	t.Helper()
	c := mcptest.New(t, s, mcptest.WithRevision(protocol.Revision20251125))
	var out []string
	ask := func(method, params, word string) {
		if _, fault := c.Do(method, []byte(params)); fault == nil {
			out = append(out, word)
		}
	}
	ask(protocol.MethodResourcesRead, `{"uri":"x:///a"}`, "a")
	ask(protocol.MethodResourcesRead, `{"uri":"y:///b"}`, "b")
	ask(protocol.MethodResourcesSubscribe, `{"uri":"y:///b"}`, "subscribe")
	ask(protocol.MethodCompletionComplete, `{"ref":{"type":"ref/resource","uri":"y:///{x}"},"argument":{"name":"x","value":""}}`, "complete")
	ask(protocol.MethodToolsCall, `{"name":"write"}`, "write")
	ask(protocol.MethodToolsCall, `{"name":"list_resources"}`, "list_resources")
	ask(protocol.MethodPromptsGet, `{"name":"ask"}`, "ask")
	out = append(out, "|")
	for _, name := range []string{"resources", "subscribe", "completions", "tools", "prompts", "logging"} {
		if strings.Contains(strings.Split(c.Transcript()[1], `"serverInfo"`)[0], `"`+name+`":`) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

func TestTags(t *testing.T) {
	const all = "a b subscribe complete write list_resources ask | resources subscribe completions tools prompts logging"
	for _, c := range []struct{ only, except, want string }{
		{"", "", all},
		{"read", "", "a b subscribe complete list_resources | resources subscribe completions tools"},
		{"open", "", "a list_resources | resources tools"},
		{"write", "", "write | tools logging"},
		{"deep write", "", "b subscribe complete write list_resources | resources subscribe completions tools logging"},
		{"", "deep", "a write list_resources ask | resources tools prompts logging"},
		{"", "read write", "ask | prompts"},
		{"read", "open", "b subscribe complete list_resources | resources subscribe completions tools"},
	} {
		f := tagged()
		s, err := server.NewServer(f, &server.Options{OnlyTags: strings.Fields(c.only), ExceptTags: strings.Fields(c.except)})
		if err != nil {
			t.Fatal(err)
		}
		s.EnableTool("write", true)
		s.EnableResource("x:///a", true)
		if got := offered(t, s); got != c.want {
			t.Errorf("only %q, except %q: %s\nwant %s", c.only, c.except, got, c.want)
		}
		if slices.ContainsFunc(f.Resources, func(r feature.Resource) bool { return r.Revisions.Off }) ||
			f.Tools[0].Revisions.Off {
			t.Error("the features of the caller were changed")
		}
		joined, err := server.Join(&feature.Features{Info: f.Info}, nil, s)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(c.want, " list_resources", "") // which are not joined
		if !strings.Contains(c.want, "write list") && !strings.Contains(c.want, "write |") {
			want = strings.Replace(want, " tools", "", 1)
		}
		if got := offered(t, joined); got != want {
			t.Errorf("only %q, except %q, joined: %s\nwant %s", c.only, c.except, got, want)
		}
		whole, err := server.NewServer(tagged(), nil)
		if err != nil {
			t.Fatal(err)
		}
		opts := &server.Options{OnlyTags: strings.Fields(c.only), ExceptTags: strings.Fields(c.except)}
		if joined, err = server.Join(&feature.Features{Info: f.Info}, opts, whole); err != nil {
			t.Fatal(err)
		}
		if got := offered(t, joined); got != want {
			t.Errorf("only %q, except %q, of the joined one: %s\nwant %s", c.only, c.except, got, want)
		}
	}
}

// A misspelt tag must not offer what it was to keep back.
func TestUnknownTags(t *testing.T) {
	for _, opts := range []server.Options{{ExceptTags: []string{"wirte"}}, {OnlyTags: []string{"read", "wirte"}},
		{OnlyTags: []string{""}}} {
		if _, err := server.NewServer(tagged(), &opts); err == nil ||
			!strings.Contains(err.Error(), "no feature has the tag") {
			t.Errorf("%v: got %v", opts, err)
		}
	}
}
