package server

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// drawer has the template b:///{x}{?n,l*} and a tool that reads it.
func drawer(t *testing.T, guard *access.Guard, opts *Options) *Server {
	t.Helper()
	read := func(v *uri.Vars) (x string, n int, list []string, err error) {
		x = v.Text(0, "x")
		v.Default(1, "7")
		n = uri.Int[int](v, 1, "n")
		uri.Max(v, "n", n, 9)
		for range v.Each(2) {
			list = append(list, v.Text(2, "l"))
		}
		return x, n, list, v.Err()
	}
	const template = "b:///{x}{?n,l*}"
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Resources: new(protocol.ServerCapabilitiesResources),
			Tools: new(protocol.ServerCapabilitiesTools)},
		Resources: []feature.Resource{
			{Entry: &protocol.Resource{URI: "a:///text", Name: "text"}, Static: new(content.Text("hello"))},
			{
				Template: &protocol.ResourceTemplate{URITemplate: template, Name: "b"}, Guard: guard, Tags: []string{"b"},
				Read: func(c *call.Call) (content.Contents, error) {
					x, n, list, err := read(c.Vars)
					if x == "none" {
						return content.Contents{}, content.ErrNotFound
					}
					return content.AsText(fmt.Sprintf("%s %d %q", x, n, list), err)
				},
			},
		},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.Scheme == "b" && v.N == 2 && v.Take(0, v.Seg[1]) {
				v.TakeParam(1, "n")
				v.TakeParams(2, "l")
				return 1
			}
			return -1
		},
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "read_b", InputSchema: []byte(`{"type":"object"}`)}, Tags: []string{"b"},
			Reads: feature.ReadsTemplate(ReadsInstance, template, func(v *uri.Vars) (string, error) {
				x, n, list, err := read(v)
				if err != nil {
					return "", err
				}
				b := wire.AppendParam(wire.AppendSegment([]byte("b:///"), x), "n", fmt.Sprint(n))
				for _, e := range list {
					b = wire.AppendParam(b, "l", e)
				}
				return string(b), nil
			}, wire.KindString, wire.KindNumber, wire.KindString),
		}},
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Arguments become variables, and what is wrong with them is told as for other tools.
func TestTemplateTool(t *testing.T) {
	t.Attr("requirements", "res-patterns")
	c := newSession(t, drawer(t, nil, nil), protocol.Revision20251125)
	for args, want := range map[string]string{
		`{"x":"a"}`: `"text":"a 7 []"`,
		`{"x":"a b/c?&é","n":3,"l":["&","","1.5"]}`: `"text":"a b/c?&é 3 [\"&\" \"\" \"1.5\"]"`,
		`{"x":5,"n":"4","l":[true]}`:                `/x: must be a string; /n: must be a number; /l/0: must be a string"`,
		`{"x":"a","n":0.3e1}`:                       `"text":"a 3 []"`,
		`{"n":3}`:                                   `"text":"invalid arguments: /x: is required"`,
		`{"x":"a","n":10}`:                          `"text":"invalid arguments: /n: want at most 9"`,
		`{"x":"a","n":1.5}`:                         `"text":"invalid arguments: /n: want a whole number`,
		`{"x":"a","n":null}`:                        `"text":"invalid arguments: /n: must be a number"`,
		`{"x":"a","l":[{}]}`:                        `"text":"invalid arguments: /l/0: must be a string"`,
		`{"x":["a","b"]}`:                           `"text":"invalid arguments: /x: must be a string"`,
		`{"x":"a","l":"b"}`:                         `"text":"invalid arguments: /l: must be an array"`,
		`{"x":"a","y":1}`:                           `"text":"invalid arguments: /y: unknown argument"`,
		`{"x":".."}`:                                `"text":"invalid arguments: /x: must not contain path elements of dots"`,
		`{"x":"none"}`:                              `"text":"b:///none?n=7: resource not found"`,
	} {
		if got := c.ask(toolCall("1", "read_b", args)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s\nwant %s", args, got, want)
		}
	}
}

// To whom the template is hidden, the tool is one that was never declared, whatever the arguments are.
func TestTemplateToolAccess(t *testing.T) {
	no := func(*call.Call) error { return errors.New("no") }
	only := func(c *call.Call) error {
		if c.Vars.Text(0, "x") != "mine" {
			return errors.New("not mine")
		}
		return nil
	}
	for name, g := range map[string]*access.Guard{
		"scopes": {Access: access.Access{Scopes: []string{"key"}}},
		"roles":  {Access: access.Access{AnyRole: [][]string{{"keeper"}}}},
		"policy": {Access: access.Access{Policies: []access.Policy{no}}},
	} {
		c := newSession(t, drawer(t, g, nil), protocol.Revision20251125)
		if list := c.ask(request("1", "tools/list", "")); strings.Contains(list, "read_b") {
			t.Errorf("%s: %s", name, list)
		}
		for _, args := range []string{`{"x":"a"}`, `{"y":1}`, `{"x":"none"}`} {
			got := c.ask(toolCall("2", "read_b", args))
			if want := strings.ReplaceAll(c.ask(toolCall("2", "never", args)), "never", "read_b"); got != want {
				t.Errorf("%s, %s: got %s\nwant %s", name, args, got, want)
			}
		}
	}
	c := newSession(t, drawer(t, &access.Guard{Access: access.Access{ItemPolicies: []access.Policy{only}}}, nil),
		protocol.Revision20251125)
	for args, want := range map[string]string{
		`{"x":"mine"}`: `"text":"mine 7 []"`,
		`{"x":"a"}`:    `"text":"b:///a?n=7: resource not found"`,
		`{}`:           `"text":"invalid arguments: /x: is required"`,
	} {
		if got := c.ask(toolCall("3", "read_b", args)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s\nwant %s", args, got, want)
		}
	}
	shown := newSession(t, drawer(t, &access.Guard{Access: access.Access{Scopes: []string{"key"}, Shown: true}}, nil),
		protocol.Revision20251125)
	if got := shown.ask(toolCall("4", "read_b", `{"x":"a"}`)); !strings.Contains(got, `"message":"forbidden: it needs key"`) {
		t.Errorf("got %s", got)
	}
}

// The tool goes with its template, in joined servers too.
func TestTemplateToolSwitches(t *testing.T) {
	s := drawer(t, nil, nil)
	joined, err := Join(new(feature.Features), nil, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Server{s, joined} {
		c := newSession(t, s, protocol.Revision20251125)
		for _, on := range []bool{true, false, true} {
			s.EnableResource("b:///{x}{?n,l*}", on)
			listed := strings.Contains(c.ask(request("1", "tools/list", "")), "read_b")
			called := strings.Contains(c.ask(toolCall("2", "read_b", `{"x":"a"}`)), "a 7")
			if listed != on || called != on {
				t.Errorf("on %t: listed %t, called %t", on, listed, called)
			}
		}
	}
	if c := drawer(t, nil, &Options{ExceptTags: []string{"b"}}).features.Capabilities; c.Tools != nil ||
		c.Resources == nil {
		t.Errorf("without tag b: %+v", c)
	}
	if _, err := NewServer(&feature.Features{Tools: []feature.Tool{{Entry: new(protocol.Tool),
		Reads: feature.ReadsTemplate(ReadsInstance, "c:///{x}", nil)}}}, nil); err == nil {
		t.Error("a tool that reads nothing")
	}
	const template = "b:///{x}"
	if _, err := NewServer(&feature.Features{ // as output from before there were kinds
		Resources: []feature.Resource{{Template: &protocol.ResourceTemplate{URITemplate: template, Name: "b"},
			Read: func(*call.Call) (content.Contents, error) { return content.AsText("", nil) }}},
		Route: func(string, *uri.Vars) int { return -1 },
		Tools: []feature.Tool{{Entry: &protocol.Tool{Name: "read_b"},
			Reads: feature.ReadsTemplate(ReadsInstance, template, nil)}},
	}, nil); err == nil || !strings.Contains(err.Error(), "run go generate") {
		t.Errorf("a tool without the kinds of its variables: %v", err)
	}
}
