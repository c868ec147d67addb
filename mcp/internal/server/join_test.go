package server_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// memberFixture is a hand-made member with a literal resource, a template and a tool.
type memberFixture struct {
	name, literal, template string
	match                   func(uri string, v *uri.Vars) bool
	tool                    string
}

func (p memberFixture) features() *feature.Features {
	says := func(what string) func(*call.Call) (content.Contents, error) {
		return func(c *call.Call) (content.Contents, error) { return content.AsText(p.name+" "+what, nil) }
	}
	f := &feature.Features{Info: protocol.Implementation{Name: p.name, Version: "v1"}, Instructions: "About " + p.name +
		"."}
	subscribe := &protocol.ServerCapabilitiesResources{Subscribe: new(true)}
	at := map[string]int{}
	if p.literal != "" {
		f.Capabilities.Resources = subscribe
		at[p.literal] = len(f.Resources)
		f.Resources = append(f.Resources, feature.Resource{Entry: &protocol.Resource{URI: p.literal, Name: p.name},
			Read: says("literal"), Subscribe: true})
	}
	template := -1
	if p.template != "" {
		f.Capabilities.Resources = subscribe
		template = len(f.Resources)
		f.Resources = append(f.Resources, feature.Resource{
			Template: &protocol.ResourceTemplate{URITemplate: p.template, Name: p.name}, Subscribe: true,
			Read: func(c *call.Call) (content.Contents, error) {
				return content.AsText(p.name+" "+c.Vars.Text(0, "x"), nil)
			},
		})
	}
	f.Route = func(uri string, v *uri.Vars) int {
		if i, ok := at[uri]; ok {
			return i
		}
		if template >= 0 && v.Split(uri) && p.match(uri, v) {
			return template
		}
		return -1
	}
	if p.tool != "" {
		f.Capabilities.Tools = &protocol.ServerCapabilitiesTools{ListChanged: new(true)}
		f.Tools = []feature.Tool{{
			Entry: &protocol.Tool{Name: p.tool, InputSchema: []byte(`{"type":"object"}`)},
			Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				c.ResourceUpdated(p.literal)
				return content.ToolText(p.name), nil
			},
		}}
	}
	return f
}

func (p memberFixture) server(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer(p.features(), &server.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// any matches x:///{x}, x:///{+x} if it spans.
func anySegment(_ string, v *uri.Vars) bool {
	return v.N == 2 && v.Seg[0] == "" && v.Take(0, v.Seg[1])
}

func rest(_ string, v *uri.Vars) bool { return v.N >= 2 && v.Seg[0] == "" && v.TakeSpan(0, 1, 0) }

func below(_ string, v *uri.Vars) bool {
	return v.N == 3 && v.Seg[0] == "" && v.Seg[1] == "d" && v.Take(0, v.Seg[2])
}

func join(t *testing.T, members ...server.Member) *server.Server {
	t.Helper()
	f := memberFixture{name: "own", literal: "own:///x"}.features()
	s, err := server.Join(f, &server.Options{UpdateDelay: -1}, members...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A literal of one member beats a template of another, and among templates the more specific wins, in
// whatever order the members stand.
func TestJoinKeepsTheOrderOfRoutes(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
		all := []memberFixture{
			{name: "wide", template: "x:///{+x}", match: rest},
			{name: "one", template: "x:///{x}", match: anySegment},
			{name: "deep", template: "x:///d/{x}", match: below},
			{name: "exact", literal: "x:///d/exact"},
		}
		var members []server.Member
		for _, i := range order {
			members = append(members, all[i].server(t))
		}
		c := mcptest.New(t, join(t, members...))
		for uri, want := range map[string]string{
			"x:///a": "one a", "x:///a/b": "wide a/b", "x:///d/b": "deep b", "x:///d/exact": "exact literal",
			"x:///d/b/c": "wide d/b/c", "own:///x": "own literal",
		} {
			if got := c.Read(uri); got != want {
				t.Errorf("order %v: %s is served by %q, want %q", order, uri, got, want)
			}
		}
		for _, uri := range []string{"y:///a", "own:///y", "x:"} {
			if _, err := c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`)); err == nil {
				t.Errorf("%s is served", uri)
			}
		}
	}
}

// Members that want the same address, URI or name cannot be joined.
func TestJoinRefusesCollisions(t *testing.T) {
	t.Attr("requirements", "tool-name-unique")
	one := memberFixture{name: "one", literal: "x:///a", template: "x:///{x}", match: anySegment, tool: "go"}
	for want, other := range map[string]memberFixture{
		"two members serve x:///a":      {literal: "x:///a"},
		"x:///{name} and x:///{x}":      {template: "x:///{name}", match: anySegment},
		`two members have a tool "go"`:  {tool: "go"},
		"x:///{+all}{?q} and x:///{+x}": {template: "x:///{+all}{?q}", match: rest},
	} {
		members := []server.Member{one.server(t), other.server(t)}
		if strings.Contains(want, "{+x}") {
			members[0] = memberFixture{name: "wide", template: "x:///{+x}", match: rest}.server(t)
		}
		if _, err := server.Join(&feature.Features{}, nil, members...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	for _, fits := range []memberFixture{
		{template: "y:///{x}", match: anySegment}, {template: "x:///d/{x}", match: below},
		{template: "x://d/{x}", match: anySegment},
		{template: "x:///{+x}", match: rest}, {template: "x:///{x}/{y}", match: below},
		{template: "x:{x}", match: anySegment},
	} {
		if _, err := server.Join(&feature.Features{}, nil, one.server(t), fits.server(t)); err != nil {
			t.Errorf("%s: %v", fits.template, err)
		}
	}
	if _, err := server.Join(&feature.Features{}, nil, (*server.Server)(nil)); err == nil {
		t.Error("a nil member is joined")
	}
	if _, err := server.Join(&feature.Features{}, &server.Options{PageSize: -1}, one.server(t)); err == nil {
		t.Error("an option out of range is taken")
	}
}

// What a member publishes reaches the clients of the joined server, and what a tool called through the
// joined server changes reaches the clients of the member.
func TestJoinPublishes(t *testing.T) {
	one := memberFixture{name: "one", literal: "x:///a", tool: "go"}.server(t)
	two := memberFixture{name: "two", literal: "y:///a"}.server(t)
	inner := join(t, one)
	outer, err := server.Join(memberFixture{name: "outer"}.features(), &server.Options{UpdateDelay: -1}, inner, two)
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcptest.New(t, one), mcptest.New(t, outer)
	a, b, c := near.Subscribe("x:///a"), far.Subscribe("x:///a"), far.Subscribe("y:///a")
	one.ResourceUpdated("x:///a", "")
	a.Next()
	b.Next()
	two.ResourceUpdated("y:///a", "")
	c.Next()
	far.Call("go", `{}`)
	a.Next()
	b.Next()
	for range 2 {
		if err := outer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	one.ResourceUpdated("x:///a", "")
	a.Next()
}

// A switch of a member is one of the joined server, whether it was turned before or after.
func TestJoinSwitches(t *testing.T) {
	one, two := memberFixture{name: "one", literal: "x:///a", tool: "go"}.server(t),
		memberFixture{name: "two", literal: "y:///a",
			tool: "stay"}.server(t)
	one.EnableTool("go", false)
	one.EnableResource("x:///a", false)
	all := join(t, one, two)
	c := mcptest.New(t, all)
	count := func(tools, resources int) {
		t.Helper()
		if got := len(c.Tools()); got != tools {
			t.Errorf("%d tools, want %d", got, tools)
		}
		if got := len(c.List()); got != resources {
			t.Errorf("%d resources, want %d", got, resources)
		}
	}
	count(1, 2)
	one.EnableTool("go", true)
	one.EnableResource("x:///a", true)
	count(2, 3)
	all.EnableTool("stay", false)
	if got := len(mcptest.New(t, two).Tools()); got != 0 {
		t.Errorf("the member still has %d tools", got)
	}
}

// The joined server says what its parts can do.
func TestJoinDeclares(t *testing.T) {
	t.Attr("requirements", "res-options")
	c := mcptest.New(t, join(t, memberFixture{name: "one", literal: "x:///a"}.server(t),
		memberFixture{name: "two", tool: "go"}.server(t)),
		mcptest.WithRevision(protocol.Revision20260728))
	text, err := c.Do(protocol.MethodServerDiscover, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"resources":{"subscribe":true}`, `"tools":{"listChanged":true}`,
		`"instructions":"About own.\n\nAbout one.\n\nAbout two."`, `"name":"own"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
}
