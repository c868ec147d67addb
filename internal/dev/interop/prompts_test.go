package interop

import (
	"context"
	"os/exec"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestGoClientPrompts lists, completes and gets the prompts of a server with the official Go SDK, and
// calls a tool that answers with content of every kind.
func TestGoClientPrompts(t *testing.T) {
	bin := build(t, "golden/desk/cmd/desk")
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			cmd := exec.Command(bin)
			cmd.Stderr = t.Output()
			client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, nil)
			session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: patience},
				&sdk.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatalf("connect: %v", err)
			}
			defer func() {
				if err := session.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			listsPrompts(ctx, t, session, revision)
			getsPrompts(ctx, t, session)
			showsContent(ctx, t, session, revision)
		})
	}
}

func listsPrompts(ctx context.Context, t *testing.T, session *sdk.ClientSession, revision string) {
	t.Helper()
	r, err := session.ListPrompts(ctx, nil)
	if err != nil {
		t.Fatalf("prompts/list: %v", err)
	}
	var names []string
	for _, p := range r.Prompts {
		names = append(names, p.Name)
	}
	want := []string{"welcome", "review", "evidence", "desk-report"}
	if revision == "2024-11-05" {
		want = []string{"welcome", "review", "desk-report"}
	}
	if !slices.Equal(names, want) {
		t.Fatalf("prompts %q, want %q", names, want)
	}
	if args := r.Prompts[1].Arguments; len(args) != 3 || args[1].Name != "number" || !args[1].Required ||
		args[2].Required {
		t.Errorf("arguments %+v", args)
	}
	done, err := session.Complete(ctx, &sdk.CompleteParams{
		Ref:      &sdk.CompleteReference{Type: "ref/prompt", Name: "review"},
		Argument: sdk.CompleteParamsArgument{Name: "tone", Value: "fr"},
	})
	if revision == "2024-11-05" {
		return // has no such capability, which the client may insist on
	}
	if err != nil || !slices.Equal(done.Completion.Values, []string{"friendly"}) {
		t.Errorf("completion %+v, %v", done, err)
	}
}

func getsPrompts(ctx context.Context, t *testing.T, session *sdk.ClientSession) {
	t.Helper()
	r, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: "review",
		Arguments: map[string]string{"project": "OPS", "number": "1"}})
	if err != nil || len(r.Messages) != 3 || r.Messages[2].Role != "assistant" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if text, ok := r.Messages[0].Content.(*sdk.TextContent); !ok ||
		text.Text != "Write a friendly answer to this ticket." {
		t.Errorf("first message %+v", r.Messages[0].Content)
	}
	if doc, ok := r.Messages[1].Content.(*sdk.EmbeddedResource); !ok || doc.Resource.URI != "tickets:///OPS/1" ||
		doc.Resource.MIMEType != "text/markdown" {
		t.Errorf("second message %+v", r.Messages[1].Content)
	}
	if _, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: "review",
		Arguments: map[string]string{"project": "OPS"}}); err == nil {
		t.Error("a prompt without a required argument")
	}
}

func showsContent(ctx context.Context, t *testing.T, session *sdk.ClientSession, revision string) {
	t.Helper()
	r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "attachments"})
	if err != nil || r.IsError || len(r.Content) != 6 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if image, ok := r.Content[1].(*sdk.ImageContent); !ok || string(image.Data) != "PNG" || image.Annotations == nil ||
		image.Annotations.Priority != 1 {
		t.Errorf("image %+v", r.Content[1])
	}
	if _, ok := r.Content[2].(*sdk.AudioContent); ok != (revision >= "2025-03-26") {
		t.Errorf("audio %+v", r.Content[2])
	}
	if link, ok := r.Content[5].(*sdk.ResourceLink); ok != (revision >= "2025-06-18") || ok &&
		link.URI != "tickets:///OPS/12" {
		t.Errorf("link %+v", r.Content[5])
	}
}
