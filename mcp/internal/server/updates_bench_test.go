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

// BenchmarkResourceUpdated publishes to sessions that have an update to come, and a URI that nobody is subscribed to.
func BenchmarkResourceUpdated(b *testing.B) {
	for _, n := range []int{1, 100} {
		s := resourceServer(b)
		for range n {
			c := newSession(b, s, protocol.Revision20251125)
			c.ask(subscribeTo("1", "b:///x"))
		}
		for name, uri := range map[string]string{"dirty": "b:///x", "other": "b:///y"} {
			b.Run(fmt.Sprintf("%s/subscribers=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.ResourceUpdated(uri, "")
				}
			})
		}
	}
}

// resourceServer serves b:///{+path}, and does not deliver an update while a benchmark runs.
func resourceServer(b *testing.B) *Server {
	b.Helper()
	return resourceServerWith(b, &Options{Logger: noLog, UpdateDelay: 1 << 40})
}

// resourceServerWith is resourceServer with options.
func resourceServerWith(b *testing.B, opts *Options) *Server {
	b.Helper()
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)}},
		Resources: []feature.Resource{{
			Template: &protocol.ResourceTemplate{URITemplate: "b:///{+path}", Name: "y"}, Subscribe: true,
			Read: func(*call.Call) (content.Contents, error) { return content.Contents{}, nil },
		}},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.Scheme == "b" && v.TakeSpan(0, 1, 0) {
				return 0
			}
			return -1
		},
	}, opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}
