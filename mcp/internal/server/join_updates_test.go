package server_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// joinedFixture is a member that is joined into two roots, one of them by way of another server, beside a server of its
// own each.
type joinedFixture struct {
	member, inner, one, two *server.Server
}

func newJoined(t *testing.T) joinedFixture {
	features := memberFixture{name: "member", literal: "x:///a", tool: "go"}.features()
	features.Capabilities.Resources = &protocol.ServerCapabilitiesResources{Subscribe: new(true), ListChanged: new(true)}
	features.Capabilities.Prompts = new(protocol.ServerCapabilitiesPrompts)
	features.Prompts = []feature.Prompt{{
		Entry: &protocol.Prompt{Name: "say"},
		Get:   func(*call.Call) (content.PromptResult, error) { return content.PromptResult{}, nil },
	}}
	p, err := server.NewServer(features, &server.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	inner := root(t, p)
	return joinedFixture{p, inner, root(t, inner, memberFixture{name: "a", literal: "own:///x"}.server(t)),
		root(t, p, memberFixture{name: "b", literal: "own:///x"}.server(t))}
}

func (f joinedFixture) all() map[string]*server.Server {
	return map[string]*server.Server{"member": f.member, "inner": f.inner, "one": f.one, "two": f.two}
}

// What any of the joined servers tells of a member reaches the clients of all servers that have the member, once.
func TestUpdatesReachJoinedServers(t *testing.T) {
	f := newJoined(t)
	subs, lists := map[string]*mcptest.Subscription{}, map[string]*mcptest.Subscription{}
	for name, s := range f.all() {
		c := mcptest.New(t, s, mcptest.WithTimeout(time.Minute))
		subs[name], lists[name] = c.Subscribe("x:///a"), c.SubscribeList()
	}
	for teller, s := range f.all() {
		caller := mcptest.New(t, s, mcptest.WithTimeout(time.Minute))
		for what, tell := range map[string]func(){
			"itself": func() { s.ResourceUpdated("x:///a", "") },
			"a tool": func() { caller.Call("go", `{}`) },
		} {
			tell()
			for name, sub := range subs {
				if sub.Next() != "x:///a" {
					t.Errorf("%s tells by %s, and %s hears something else", teller, what, name)
				}
			}
		}
		s.ResourceListChanged()
		for _, list := range lists {
			list.Next()
		}
	}
	for name, sub := range subs {
		if n := sub.Pending(); n != 0 {
			t.Errorf("%s is told %d times more", name, n)
		}
	}
}

// Two roots that have one member in common may each have something of their own at one address.
func TestUpdatesOfOthersStayThere(t *testing.T) {
	f := newJoined(t)
	patient := mcptest.WithTimeout(time.Minute)
	one, two := mcptest.New(t, f.one, patient), mcptest.New(t, f.two, patient)
	mine, other, last := one.Subscribe("own:///x"), two.Subscribe("own:///x"), two.Subscribe("x:///a")
	f.one.ResourceUpdated("own:///x", "")
	mine.Next()
	f.two.ResourceUpdated("x:///a", "")
	last.Next()
	if other.Pending() != 0 {
		t.Error("the other root is told")
	}
	f.one.EnableResource("own:///x", false)
	if two.Read("own:///x") == "" || one.ReadError("own:///x") == nil {
		t.Error("the other root is switched")
	}
}

// A switch that is turned at one root is one of the member, wherever it is joined.
func TestSwitchesReachJoinedServers(t *testing.T) {
	f := newJoined(t)
	for i, turn := range []*server.Server{f.one, f.two} {
		on := i == 1
		turn.EnableResource("x:///a", on)
		turn.EnableTool("go", on)
		turn.EnablePrompt("say", on)
		for name, s := range f.all() {
			c := mcptest.New(t, s, mcptest.WithTimeout(time.Minute))
			got := slices.ContainsFunc(c.List(), func(r protocol.Resource) bool { return r.URI == "x:///a" })
			if got != on {
				t.Errorf("%s: the resource is listed: %v, want %v", name, got, on)
			}
			if len(c.Tools()) > 0 != on || len(c.Prompts()) > 0 != on {
				t.Errorf("%s: %d tools and %d prompts, on is %v", name, len(c.Tools()), len(c.Prompts()), on)
			}
		}
	}
}
