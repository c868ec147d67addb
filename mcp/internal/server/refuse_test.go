package server

import (
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// rudeError panics when it is asked what it says.
type rudeError struct{}

func (rudeError) Error() string { panic("no text") }

// oneResourceServer serves r at a:///x and nothing else.
func oneResourceServer(t *testing.T, r feature.Resource) *Server {
	t.Helper()
	r.Entry = &protocol.Resource{URI: "a:///x", Name: "x"}
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)}},
		Resources:    []feature.Resource{r},
		Route: func(uri string, _ *uri.Vars) int {
			if uri == "a:///x" {
				return 0
			}
			return -1
		},
	}, &Options{Logger: noLog})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// An error whose methods panic is answered like a panic, and the server lives.
func TestErrorThatPanics(t *testing.T) {
	s := oneResourceServer(t, feature.Resource{Read: func(*call.Call) (content.Contents, error) {
		return content.Contents{}, content.Public(rudeError{})
	}})
	c := newSession(t, s, protocol.Revision20251125)
	for range 2 {
		wantMatch(t, c.ask(request("1", "resources/read", `"uri":"a:///x"`)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"*internal error (ref ","data":{"uri":"a:///x"}}}`)
	}
}

// Who is refused by a policy does not learn that there is a resource which nobody can subscribe to.
func TestSubscribeTellsNothingToTheRefused(t *testing.T) {
	t.Attr("requirements", "res-permission")
	let := errors.New("no")
	s := oneResourceServer(t, feature.Resource{
		Read:  func(*call.Call) (content.Contents, error) { return content.Contents{}, nil },
		Guard: &access.Guard{Access: access.Access{Policies: []access.Policy{func(*call.Call) error { return let }}}},
	})
	c := newSession(t, s, protocol.Revision20251125)
	wantMatch(t, c.ask(subscribeTo("1", "a:///x")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"resource not found","data":{"uri":"a:///x"}}}`)
	let = nil
	wantMatch(t, c.ask(subscribeTo("1", "a:///x")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*cannot be subscribed to"}}`)
}
