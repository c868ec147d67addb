package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// limited is a server with a template that may be read twice in an hour, an alias of it, and tools that read it.
func limited(t *testing.T, limit access.Limit, read func(*call.Call) (content.Contents, error)) *server.Server {
	t.Helper()
	template := func(uri, of string) feature.Resource {
		return feature.Resource{
			Template: &protocol.ResourceTemplate{URITemplate: uri, Name: "x"}, AliasOf: of, Read: read,
			Guard: &access.Guard{Limit: limit},
		}
	}
	toMain := func(v *uri.Vars) (string, error) { return "main:///" + v.Text(0, "x"), v.Err() }
	s, err := server.NewServer(&feature.Features{
		Info: protocol.Implementation{Name: "limited"},
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{},
			Tools: &protocol.ServerCapabilitiesTools{}},
		ResourceTools: server.ResourceTools,
		Resources: []feature.Resource{template("alias:///{x}", "main:///{x}"), template("main:///{x}", ""),
			template("other:///{x}", "")},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.N == 2 && v.Take(0, v.Seg[1]) {
				return map[string]int{"alias": 0, "main": 1, "other": 2}[v.Scheme]
			}
			return -1
		},
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "read_main", Description: "x", InputSchema: []byte(`{"type":"object"}`)},
			Reads: feature.ReadsTemplate(server.ReadsInstance, "main:///{x}", toMain, wire.KindString),
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// root is a server that has nothing but what members have.
func root(t *testing.T, members ...server.Member) *server.Server {
	t.Helper()
	s, err := server.Join(&feature.Features{Info: protocol.Implementation{Name: "root"}},
		&server.Options{UpdateDelay: -1}, members...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// rootWithTools is a root that adds the tools for resources itself.
func rootWithTools(t *testing.T, members ...server.Member) *server.Server {
	t.Helper()
	f := &feature.Features{Info: protocol.Implementation{Name: "root"}, ResourceTools: server.ResourceTools}
	s, err := server.Join(f, &server.Options{UpdateDelay: -1}, members...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// ways are all the ways to one feature: its address, an alias, tools, and the same of servers that it is joined into.
func ways(t *testing.T, s *server.Server) map[string]func() error {
	t.Helper()
	all := map[string]func() error{}
	for name, srv := range map[string]*server.Server{"itself": s, "a root": root(t, s),
		"another root": root(t, root(t, s)), "with tools of its own": rootWithTools(t, s)} {
		c := mcptest.New(t, srv, mcptest.WithTimeout(time.Minute))
		read := func(uri string) func() error {
			return func() error {
				if _, fault := c.Do(protocol.MethodResourcesRead, fmt.Appendf(nil, `{"uri":%q}`, uri)); fault != nil {
					return fault
				}
				return nil
			}
		}
		call := func(tool, args string) func() error {
			return func() error {
				if r := c.Call(tool, args); r.IsError != nil && *r.IsError {
					return fmt.Errorf("%s", r.Content[0].(*protocol.TextContent).Text) //nolint:forcetypeassert // it is
				}
				return nil
			}
		}
		all[name+": address"], all[name+": alias"] = read("main:///x"), read("alias:///x")
		all[name+": typed tool"] = call("read_main", `{"x":"x"}`)
		if srv == s { // a joined server says itself whether it has these tools
			all[name+": generic tool"] = call("read_resource", `{"uri":"main:///x"}`)
		}
	}
	return all
}

// A limit counts the calls of a feature, whatever way they take; other features count for themselves.
func TestLimitCountsAllWays(t *testing.T) {
	t.Attr("requirements", "completion-rate res-rate tool-rate")
	text := func(*call.Call) (content.Contents, error) { return content.Text("x"), nil }
	s := limited(t, access.Limit{Rate: 2, Per: time.Hour, By: access.Global}, text)
	passed := 0
	for name, call := range ways(t, s) {
		err := call()
		if err == nil {
			passed++
		} else if !strings.Contains(err.Error(), "called too often") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if passed != 2 {
		t.Errorf("%d calls have passed", passed)
	}
	if got := mcptest.New(t, s).Read("other:///x"); got != "x" {
		t.Error(got)
	}
}

func TestConcurrencyCountsAllWays(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	s := limited(t, access.Limit{Concurrency: 1}, func(c *call.Call) (content.Contents, error) {
		if c.URI() == "alias:///wait" {
			close(inside)
			<-leave
		}
		return content.Text("x"), nil
	})
	done := make(chan string)
	go func() { done <- mcptest.New(t, s, mcptest.WithTimeout(time.Minute)).Read("alias:///wait") }()
	<-inside
	all := ways(t, s)
	for name, call := range all {
		if err := call(); err == nil || !strings.Contains(err.Error(), "at the same time") {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(leave)
	<-done
	for name, call := range all {
		if err := call(); err != nil {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

// Two servers of the same features, such as two tests in one process, count for themselves.
func TestLimitCountsForEachServer(t *testing.T) {
	f := &feature.Features{
		Info:         protocol.Implementation{Name: "twice"},
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{}},
		Resources: []feature.Resource{{
			Entry: &protocol.Resource{URI: "x:///a", Name: "a"}, Static: new(content.Text("x")),
			Guard: &access.Guard{Limit: access.Limit{Rate: 1, Per: time.Hour, By: access.Global}},
		}},
		Route: func(uri string, _ *uri.Vars) int { return map[string]int{"x:///a": 1}[uri] - 1 },
	}
	for range 2 {
		s, err := server.NewServer(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		c := mcptest.New(t, s)
		if got := c.Read("x:///a"); got != "x" {
			t.Error(got)
		}
		_, fault := c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"x:///a"}`))
		if fault == nil || !strings.Contains(fault.Error(), "called too often") {
			t.Errorf("the second read: %v", fault)
		}
	}
}
