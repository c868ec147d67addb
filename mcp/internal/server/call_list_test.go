package server_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// A handler that knows no server tells that the list has changed, whichever server its feature is served by.
func TestCallResourceListChanged(t *testing.T) {
	p := memberFixture{name: "shelf", literal: "x:///a", tool: "add"}
	f := p.features()
	f.Capabilities.Resources = &protocol.ServerCapabilitiesResources{ListChanged: new(true)}
	f.Tools[0].Call = func(c *call.Call, _ []byte) (content.ToolResult, error) {
		c.ResourceListChanged()
		return content.ToolText("added"), nil
	}
	member, err := server.NewServer(f, &server.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := server.Join(&feature.Features{Info: protocol.Implementation{Name: "whole", Version: "v1"}},
		&server.Options{UpdateDelay: -1}, member)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range era.Revisions() {
		for name, srv := range map[string]*server.Server{"member": member, "whole": whole} {
			t.Run(rev.String()+"/"+name, func(t *testing.T) {
				c := mcptest.New(t, srv, mcptest.WithRevision(rev))
				sub := c.SubscribeList()
				if got := c.CallText("add", ""); got != "added" {
					t.Errorf("CallText = %q", got)
				}
				if uri := sub.Next(); uri != "" {
					t.Errorf("heard of %s", uri)
				}
			})
		}
	}
	if err := whole.Close(); err != nil {
		t.Error(err)
	}
	if err := member.Close(); err != nil {
		t.Error(err)
	}
	new(call.Call).ResourceListChanged() // the call of a watcher has no client
}
