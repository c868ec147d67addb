package interop

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// visits is a server with a tool that sends the user to a page, and hands the questions out.
func visits(t *testing.T) (url string, asked <-chan *mcp.URLQuestion) {
	t.Helper()
	out := make(chan *mcp.URLQuestion, 1)
	srv, err := mcprt.NewServer(&mcprt.Features{
		Info:         protocol.Implementation{Name: "visits", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools: []mcprt.Tool{{
			Entry: &protocol.Tool{Name: "visit", InputSchema: []byte(`{"type":"object"}`)}, Asks: true,
			Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
				q := mcp.NewURLQuestion("page", "Look.", "https://page.example")
				if err := (*mcp.Call)(c).Peer().Ask(c, q); err != nil {
					return mcprt.ToolResult{}, err
				}
				out <- q
				return mcprt.AsToolText("asked", q.Answer())
			},
		}},
	}, &mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		_ = srv.Close()
		web.Close()
	})
	return web.URL, out
}

// visitor is a client of the SDK: which visit it was asked for, and those that it has heard the end of.
type visitor struct {
	asked    string
	question *mcp.URLQuestion
	heard    chan string
}

// visit calls the tool of a server and agrees to go to the page.
func visit(ctx context.Context, t *testing.T, url string, asked <-chan *mcp.URLQuestion) *visitor {
	t.Helper()
	v := &visitor{heard: make(chan string, 10)}
	client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			v.asked = r.Params.ElicitationID
			return &sdk.ElicitResult{Action: "accept"}, nil
		},
		ElicitationCompleteHandler: func(_ context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
			v.heard <- r.Params.ElicitationID
		},
		Capabilities: &sdk.ClientCapabilities{
			Elicitation: &sdk.ElicitationCapabilities{URL: &sdk.URLElicitationCapabilities{}},
		},
	})
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: url},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "visit"}); err != nil {
		t.Fatal(err)
	}
	v.question = <-asked
	return v
}

// TestGoClientHearsOfVisits tells clients of the official Go SDK, over HTTP and after their request was answered, that
// their users have been on a page. Each hears of its own visit only.
func TestGoClientHearsOfVisits(t *testing.T) {
	t.Attr("requirements", "ask-complete")
	url, asked := visits(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	visitors := []*visitor{visit(ctx, t, url, asked), visit(ctx, t, url, asked)}
	for _, v := range visitors {
		v.question.Complete()
		select {
		case id := <-v.heard:
			if id == "" || id != v.asked {
				t.Errorf("heard of visit %q, asked for %q", id, v.asked)
			}
		case <-time.After(patience):
			t.Fatal("a client hears nothing")
		}
	}
	for _, v := range visitors {
		if len(v.heard) > 0 {
			t.Errorf("a client also heard of visit %q", <-v.heard)
		}
	}
}
