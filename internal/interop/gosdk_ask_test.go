package interop

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestGoClientAnswers lets the official Go SDK answer the forms of a tool: as requests of the server, and
// as input that a result asks for.
func TestGoClientAnswers(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "ask.exe")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/mcpgen/mcpgen/golden/ask/cmd/ask").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, &sdk.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					content := map[string]any{"name": "Ada"}
					if r.Params.Message != "Who goes to Rome?" {
						content = map[string]any{"class": "first"}
					}
					return &sdk.ElicitResult{Action: "accept", Content: content}, nil
				},
			})
			cmd := exec.Command(bin)
			cmd.Stderr = t.Output()
			session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
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
		})
	}
}
