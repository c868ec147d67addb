package mcp_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// A handler that knows no server tells that the list has changed, whichever server its feature is served by.
func TestCallResourceListChanged(t *testing.T) {
	p := part{name: "shelf", literal: "x:///a", tool: "add"}
	f := p.features()
	f.Capabilities.Resources = &protocol.ServerCapabilitiesResources{ListChanged: new(true)}
	f.Tools[0].Call = func(c *mcp.Call, _ []byte) (mcp.ToolResult, error) {
		c.ResourceListChanged()
		return mcp.ToolText("added"), nil
	}
	member, err := mcp.NewServer(f, &mcp.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := mcp.Join(&mcp.Features{Info: protocol.Implementation{Name: "whole", Version: "v1"}}, &mcp.Options{UpdateDelay: -1}, member)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range mcp.Revisions() {
		for name, srv := range map[string]*mcp.Server{"member": member, "whole": whole} {
			t.Run(rev.String()+"/"+name, func(t *testing.T) {
				c := mcptest.New(t, srv, mcptest.Revision(rev))
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
	new(mcp.Call).ResourceListChanged() // the call of a watcher has no client
}
