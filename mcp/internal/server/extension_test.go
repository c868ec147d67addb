package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// versioned has an extension in one version, with a method that answers with the params that its package gets. A method
// of another one notifies.
func versioned(t *testing.T) *server.Server {
	t.Helper()
	const id = "com.example/v"
	parse := func(name string) (string, bool) { return name, name != "" }
	dispatch := func(_ context.Context, _ any, _ string, _ []byte, params *wire.Decoder, b []byte) ([]byte, error) {
		return append(append(append(b, `{"got":`...), params.Raw()...), '}'), params.Err()
	}
	f := &feature.Features{Info: protocol.Implementation{Name: "v", Version: "1"}}
	f.Extensions = server.NewExtensions(feature.Extension{
		ID: id, Revisions: []string{"2026-08-01"},
		Methods: []feature.Method{feature.Dispatched[string, any](id, id+"/params", nil, parse, dispatch)},
	}, feature.Extension{
		ID: "com.example/other", Methods: []feature.Method{{
			Name: "com.example/notify", Undeclared: true, Call: func(c *call.Call, _ []byte) (json.RawMessage, error) {
				return json.RawMessage(`{}`), c.Notify(wire.Notification{Extension: id, Method: "notifications/v"})
			},
		}},
	})
	s, err := server.NewServer(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A package of the protocol reads the metadata of requests too: schemas may require it.
func TestDispatchedMeta(t *testing.T) {
	c := mcptest.New(t, versioned(t), mcptest.WithExtension("com.example/v", ""))
	for params, want := range map[string]string{`{}`: `}}`, `{"a":1}`: `},"a":1}`} {
		got, fault := c.Do("com.example/v/params", []byte(params))
		if fault != nil || !strings.Contains(string(got), `"got":{"_meta":{`) || !strings.Contains(string(got), want) ||
			!strings.Contains(string(got), `"io.modelcontextprotocol/clientCapabilities"`) {
			t.Errorf("%s: %s %v", params, got, fault)
		}
	}
}

// A version that the server does not speak is an error of the methods of the extension, not of what notifies.
func TestNotifyUnspoken(t *testing.T) {
	c := mcptest.New(t, versioned(t), mcptest.WithExtension("com.example/v", `{"revision":"1999-01-01"}`))
	if _, fault := c.Do("com.example/v/params", []byte(`{}`)); mcptest.CodeOf(fault) != wire.CodeInvalidParams {
		t.Errorf("a method of the extension: %v", fault)
	}
	if got, fault := c.Do("com.example/notify", []byte(`{}`)); fault != nil {
		t.Errorf("%s %v", got, fault)
	}
}
