package server

import (
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// spelledServer has one template with a segment, a list in the query and another parameter.
func spelledServer(t *testing.T) *Server {
	t.Helper()
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)}},
		Resources: []feature.Resource{{
			Template:  &protocol.ResourceTemplate{URITemplate: "a:///{name}{?tag*,q}", Name: "x"},
			Subscribe: true,
			Read:      func(*call.Call) (content.Contents, error) { return content.Contents{}, nil },
		}, {
			Template: &protocol.ResourceTemplate{URITemplate: "b:///{+path}", Name: "y"}, Subscribe: true,
			Read: func(*call.Call) (content.Contents, error) { return content.Contents{}, nil },
		}},
		Route: func(uri string, v *uri.Vars) int {
			switch {
			case !v.Split(uri):
			case v.Scheme == "a" && v.N == 2 && v.Take(0, v.Seg[1]):
				v.TakeParams(1, "tag")
				v.TakeParam(2, "q")
				return 0
			case v.Scheme == "b" && v.TakeSpan(0, 1, 0):
				return 1
			}
			return -1
		},
	}, &Options{Logger: noLog, UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// keyOf is the key of uri as one text.
func (s *Server) keyOf(uri string) string {
	resource, text := feature.NewKey(&s.registry).Key(uri)
	return fmt.Sprint(resource, " ", string(text))
}

func TestTopicKeys(t *testing.T) {
	s := spelledServer(t)
	for _, same := range [][]string{
		{"a:///~", "a:///%7e", "a:///%7E"},
		{"a:///%c3%a9", "a:///%C3%A9"},
		{"a:///x?q=1&tag=a&tag=b", "a:///x?tag=a&q=1&tag=b", "a:///x?%74ag=%61&tag=b&q=1"},
		{"a:///a%2fb", "a:///a%2Fb"},
		{"a:///x%25", "a:///%78%25"},
		{"none:///~"},
	} {
		for _, uri := range same[1:] {
			if s.keyOf(uri) != s.keyOf(same[0]) {
				t.Errorf("%s and %s: %v and %v", uri, same[0], s.keyOf(uri), s.keyOf(same[0]))
			}
		}
	}
	all := map[string]string{}
	for _, uri := range []string{
		"a:///x", "a:///x?q=", "a:///x?tag=", "a:///x?tag=a&tag=b", "a:///x?tag=a%26b", "a:///x?tag=b&tag=a", "a:///x%252",
		"a:///x2",
		"a:///x%201%20b", "a:///x?tag=b", "b:///x", "b:///a/b", "b:///a%2Fb", "none:///~", "none:///%7e", "a:///X",
	} {
		if other, twice := all[s.keyOf(uri)]; twice {
			t.Errorf("%s and %s have the topic %v", uri, other, s.keyOf(uri))
		}
		all[s.keyOf(uri)] = uri
	}
}

// Whoever subscribes by another spelling of a URI hears of its changes, by the name that they know.
func TestSubscribeByOtherSpelling(t *testing.T) {
	s := spelledServer(t)
	c := newSession(t, s, protocol.Revision20251125)
	wantMatch(t, c.ask(subscribeTo("1", "a:///%7ejo")), emptyResult)
	s.ResourceUpdated("a:///~jo", "")
	wantMatch(t, c.recv(), updated("", "a:///%7ejo"))
	wantMatch(t, c.ask(subscribeTo("2", "a:///~%6a%6f")), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	wantMatch(t, c.ask(unsubscribeFrom("1", "a:///%7Ejo")), emptyResult)
	s.ResourceUpdated("a:///~jo", "")
	c.quiet()

	wantMatch(t, c.ask(listenTo("3", `"resourceSubscriptions":["a:///%7ejo","a:///~jo","a:///x","a:///%7ejo"]`)),
		acknowledged("3", `"resourceSubscriptions":["a:///%7ejo","a:///~jo","a:///x"]`))
	s.ResourceUpdated("a:///~%6Ao", "")
	wantMatch(t, c.recv(), updated(forListen("3"), "a:///%7ejo"))
	wantMatch(t, c.recv(), updated(forListen("3"), "a:///~jo"))
	s.ResourceUpdated("a:///%78", "")
	wantMatch(t, c.recv(), updated(forListen("3"), "a:///x"))
	c.quiet()
}
