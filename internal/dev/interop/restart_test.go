package interop

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// TestGoClientAfterRestart lets the only server start again under the official Go SDK, which never initializes again:
// with keys it goes on with calls and answers questions, if it has no notification stream; with a store also if it has.
func TestGoClientAfterRestart(t *testing.T) {
	store := new(memory.Sessions)
	for _, tt := range []struct {
		name   string
		opts   *mcphttp.Options
		stream bool
	}{
		{"keys", nil, false},
		{"store", &mcphttp.Options{SessionStore: store}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var current atomic.Pointer[http.Handler]
			start := func() (end func()) {
				srv, err := ask.NewAskServer(ask.AskImpl{}, &mcp.Options{Keys: [][]byte{[]byte("a key of the server")}})
				if err != nil {
					t.Fatal(err)
				}
				h, err := mcphttp.Handler(srv, tt.opts)
				if err != nil {
					t.Fatal(err)
				}
				current.Store(&h)
				return func() { _ = srv.Close() }
			}
			end := start()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				(*current.Load()).ServeHTTP(w, r)
			}))
			defer web.Close()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"},
				&sdk.ClientOptions{ElicitationHandler: adaGoesFirst})
			session, err := client.Connect(ctx,
				&sdk.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: !tt.stream},
				&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "book", Arguments: map[string]any{"to": "Rome"}})
				if err != nil {
					t.Fatal(err)
				}
				if booked, ok := r.StructuredContent.(map[string]any); !ok || booked["name"] != "Ada" {
					t.Errorf("booked %+v", r)
				}
				last := end
				end = start()
				last() // its streams end once the new one is there
			}
			if err := session.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			end()
		})
	}
}

// adaGoesFirst answers the questions of the tool book.
func adaGoesFirst(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	content := map[string]any{"class": "first"}
	if r.Params.Message == "Who goes to Rome?" {
		content = map[string]any{"name": "Ada"}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}
