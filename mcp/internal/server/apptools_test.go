package server_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A tool goes on without an app that this version of the server does not have; what else its metadata say stays.
func TestAppNotOffered(t *testing.T) {
	named := &protocol.MetaObject{Extra: wire.Extra{
		{Name: "ui", Value: []byte(`{"resourceUri": "ui:\/\/one/a", "visibility": ["app"]}`)},
		{Name: "ui/resourceUri", Value: []byte(`"ui://one/a"`)}, {Name: "com.example/owner", Value: []byte(`"ann"`)},
	}}
	for _, off := range []bool{false, true} {
		fixture := memberFixture{name: "one", literal: "ui://one/a", template: "y:///{x}", match: anySegment, tool: "show"}
		f := fixture.features()
		f.Resources[0].Extension, f.Resources[0].Revisions = "io.modelcontextprotocol/ui", feature.RevisionRange{Off: off}
		f.Tools[0].Entry.Meta, f.Apps = named, feature.LeaveOutApps
		s, err := server.NewServer(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.New(t, s, mcptest.WithRevision(protocol.Revision20250618))
		if declared := strings.Contains(c.Transcript()[1], `"extensions"`); declared == off {
			t.Errorf("off: %t, %s", off, c.Transcript()[1])
		}
		want := `{"ui":{"resourceUri":"ui:\/\/one/a","visibility":["app"]},"ui/resourceUri":"ui://one/a",` +
			`"com.example/owner":"ann"}`
		if off {
			want = `{"ui":{"visibility":["app"]},"com.example/owner":"ann"}`
		}
		got, _ := c.Do(protocol.MethodToolsList, nil)
		if !strings.Contains(strings.ReplaceAll(string(got), " ", ""), `"_meta":`+want) {
			t.Errorf("off: %t, %s\nwant %s", off, got, want)
		}
		if f.Tools[0].Entry.Meta != named {
			t.Error("the features of the caller were changed")
		}
		_ = s.Close()
	}
}
