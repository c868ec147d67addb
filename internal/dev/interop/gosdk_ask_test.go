package interop

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// TestGoClientAnswers lets the official Go SDK answer all kinds of questions: as requests of the server, and
// as input that a result asks for.
func TestGoClientAnswers(t *testing.T) {
	bin := build(t, "golden/ask/cmd/ask")
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	defer web.Close()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("stdio "+revision, func(t *testing.T) {
			cmd := exec.Command(bin)
			cmd.Stderr = t.Output()
			answersForms(t, &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}, revision)
		})
		t.Run("http "+revision, func(t *testing.T) {
			answersForms(t, &sdk.StreamableClientTransport{Endpoint: web.URL + "/mcp"}, revision)
		})
	}
}

// answersForms books a trip and fills in what is asked; it visits a page, and lends its model and its folders.
func answersForms(t *testing.T, transport sdk.Transport, revision string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			content := map[string]any{"name": "Ada"}
			if r.Params.Message != "Who goes to Rome?" {
				content = map[string]any{"class": "first"}
			}
			if r.Params.Mode == "url" {
				return &sdk.ElicitResult{Action: "accept"}, nil
			}
			return &sdk.ElicitResult{Action: "accept", Content: content}, nil
		},
		CreateMessageHandler: func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			return &sdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &sdk.TextContent{Text: "Old."}}, nil
		},
		Capabilities: &sdk.ClientCapabilities{
			Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{},
				URL: &sdk.URLElicitationCapabilities{}},
			RootsV2: &sdk.RootCapabilities{}, Sampling: &sdk.SamplingCapabilities{},
		},
	})
	client.AddRoots(&sdk.Root{URI: "file:///trips"})
	session, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer func() { _ = session.Close() }()
	r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "book", Arguments: map[string]any{"to": "Rome"}})
	if err != nil {
		t.Fatalf("book: %v", err)
	}
	if booked, ok := r.StructuredContent.(map[string]any); !ok || booked["name"] != "Ada" || booked["class"] != "first" {
		t.Errorf("booked %+v", r)
	}
	if _, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "pay"}); err != nil {
		t.Errorf("pay: %v", err)
	}
	r, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "advise", Arguments: map[string]any{"to": "Rome"}})
	if err != nil {
		t.Fatalf("advise: %v", err)
	}
	if text, ok := r.Content[0].(*sdk.TextContent); !ok || text.Text != "Old. (1 folders)" {
		t.Errorf("advised %+v", r.Content)
	}
}
