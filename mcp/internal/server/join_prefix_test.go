package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// prompted is a part with a tool and a prompt of fixed names.
func prompted(t *testing.T, name string) *server.Server {
	t.Helper()
	features := memberFixture{name: name, literal: name + ":///a", tool: "go"}.features()
	features.Capabilities.Prompts = new(protocol.ServerCapabilitiesPrompts)
	features.Prompts = []feature.Prompt{{
		Entry: &protocol.Prompt{Name: "say"},
		Get:   func(*call.Call) (content.PromptResult, error) { return content.PromptResult{}, nil },
	}}
	s, err := server.NewServer(features, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func namesOf(c *mcptest.Client) string {
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	for _, prompt := range c.Prompts() {
		names = append(names, prompt.Name)
	}
	return strings.Join(names, " ")
}

// Two parts with equal names are served together under prefixes, and keep their names on their own.
func TestPrefixedNames(t *testing.T) {
	a, b := prompted(t, "a"), prompted(t, "b")
	s := root(t, server.Prefixed("a_", a), server.Prefixed("b.", b))
	outer := root(t, server.Prefixed("x-", s), prompted(t, "z"))
	for _, tt := range []struct {
		s    *server.Server
		want string
	}{{s, "a_go b.go a_say b.say"}, {a, "go say"}, {outer, "x-a_go x-b.go go x-a_say x-b.say say"}} {
		c := mcptest.New(t, tt.s, mcptest.WithTimeout(time.Minute))
		if got := namesOf(c); got != tt.want {
			t.Errorf("names are %q, want %q", got, tt.want)
		}
		for _, tool := range c.Tools() {
			c.Call(tool.Name, `{}`)
		}
	}
	if c := mcptest.New(t, s, mcptest.WithTimeout(time.Minute)); c.CallError("go", `{}`).Error() == "" {
		t.Error("a tool answers to the name that it has in its part")
	}
}

// Switches and tools that are added have the name of the server where they are turned or added, and reach all others.
func TestPrefixedChanges(t *testing.T) {
	a, b := prompted(t, "a"), prompted(t, "b")
	s := root(t, server.Prefixed("a_", a), server.Prefixed("b_", b))
	client := func(s *server.Server) *mcptest.Client { return mcptest.New(t, s, mcptest.WithTimeout(time.Minute)) }
	a.EnableTool("go", false)
	s.EnablePrompt("b_say", false)
	s.EnableTool("go", false) // which is no name here
	for _, tt := range []struct {
		s    *server.Server
		want string
	}{{s, "b_go a_say"}, {a, "say"}, {b, "go"}} {
		if got := namesOf(client(tt.s)); got != tt.want {
			t.Errorf("names are %q, want %q", got, tt.want)
		}
	}
	c, d := prompted(t, "c"), prompted(t, "d")
	if err := c.AddTool(addedTool("early")); err != nil {
		t.Fatal(err)
	}
	both := root(t, server.Prefixed("c_", c), server.Prefixed("d_", d))
	for _, part := range []*server.Server{c, d} {
		if err := part.AddTool(addedTool("late")); err != nil {
			t.Fatal(err)
		}
	}
	if removed, err := c.RemoveTool("early"); !removed || err != nil {
		t.Fatal(removed, err)
	}
	if got := namesOf(client(both)); got != "c_go d_go c_late d_late c_say d_say" {
		t.Errorf("names are %q", got)
	}
}

func addedTool(name string) feature.DynamicTool {
	return feature.DynamicTool{Name: name, Call: func(*call.Call, json.RawMessage) (content.Result,
		error) {
		return content.ToolText(name), nil
	}}
}

// The name of a tool with its prefix is no longer than that of a tool may be, whether the tool is there before or
// later.
func TestPrefixedNamesAreNotTooLong(t *testing.T) {
	t.Attr("requirements", "tool-name-length")
	prefix, long := strings.Repeat("p", 64), addedTool(strings.Repeat("x", 65))
	late := prompted(t, "a")
	both, err := server.Join(new(feature.Features), nil, server.Prefixed(prefix, late))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = both.Close() }()
	if err := late.AddTool(long); err == nil || !strings.Contains(err.Error(), "129 characters") {
		t.Errorf("added later: %v", err)
	}
	early := prompted(t, "b")
	if err := early.AddTool(long); err != nil {
		t.Fatal(err)
	}
	for _, m := range []server.Member{server.Prefixed(prefix, early),
		server.Prefixed(prefix, server.Prefixed(prefix, prompted(t, "c")))} {
		if _, err := server.Join(new(feature.Features), nil, m); err == nil || !strings.Contains(err.Error(), "characters") {
			t.Errorf("joined: %v", err)
		}
	}
}

func TestPrefixesAreChecked(t *testing.T) {
	for _, prefix := range []string{"", "a b", "é", strings.Repeat("a", 65)} {
		if _, err := server.Join(new(feature.Features), nil, server.Prefixed(prefix, prompted(t, "a"))); err == nil {
			t.Errorf("the prefix %q is taken", prefix)
		}
	}
	if _, err := server.Join(new(feature.Features), nil, server.Prefixed("a_", nil)); err == nil {
		t.Error("a member that is nil is taken")
	}
	same := prompted(t, "a")
	if _, err := server.Join(new(feature.Features), nil, server.Prefixed("a_", same),
		server.Prefixed("a_", prompted(t, "b"))); err == nil || !slices.Contains(strings.Fields(err.Error()), `"a_go"`) {
		t.Errorf("error %v", err)
	}
}
