package desk_test

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newServer(t *testing.T, pageSize int) *desk.DeskServer {
	t.Helper()
	d := &desk.Desk{
		Tickets: []desk.Ticket{
			{Project: "OPS", Number: 1, Title: "Printer", Body: "It does not print.", Open: true},
			{Project: "OPS", Number: 12, Title: "Door", Body: "It is stuck."},
			{Project: "DEV", Number: 2, Title: "Build", Body: "It is red.", Open: true},
		},
		Photo: []byte("PNG"), Call: []byte("WAV"),
	}
	srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, &mcp.Options{PageSize: pageSize, UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	t.Attr("requirements", "init-answer task-hint")
	start := func(t *testing.T) mcptest.Server { return newServer(t, 0) }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Prompts()
		c.GetPrompt("welcome")
		c.GetPrompt("review", "project", "OPS", "number", "12")
		c.GetPrompt("review", "project", "OPS", "number", "12", "tone", "brief")
		c.GetPrompt("desk-report", "from", "::1")
		c.GetPrompt("desk-report", "from", "10.0.0.1", "since", "2026-07-01", "max_tickets", "3", "open", "true", "every",
			"90m")
		c.GetPrompt("desk-report", "from", "::1", "since", "", "max_tickets", "", "open", "")
		c.Do(protocol.MethodPromptsGet, []byte(`{"name":"evidence"}`))
		c.CompletePrompt("review", "project", "")
		c.CompletePrompt("review", "number", "1", "project", "OPS")
		c.CompletePrompt("review", "tone", "f")
		c.CompletePrompt("desk-report", "open", "")
	})
}

// What clients do wrong, and what they are told.
func TestWireFaults(t *testing.T) {
	t.Attr("requirements", "prompt-errors prompt-validate prompt-security")
	start := func(t *testing.T) mcptest.Server { return newServer(t, 0) }
	transcript.Run(t, "faults", start, func(c *mcptest.Client, _ protocol.Revision) {
		for _, request := range []struct{ method, params string }{
			{protocol.MethodPromptsGet, `{"name":"none"}`},
			{protocol.MethodPromptsGet, `{}`},
			{protocol.MethodPromptsGet, `{"name":"review"}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS"}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":"one"}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":1}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":"0"}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS-1","number":"12"}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":""}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":"1","tone":"loud"}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":"1","to/ne":"loud"}}`},
			{protocol.MethodPromptsGet, `{"name":"review","arguments":{"project":"OPS","number":"99"}}`},
			{protocol.MethodPromptsGet, `{"name":"desk-report","arguments":{"from":"nowhere"}}`},
			{protocol.MethodPromptsGet, `{"name":"desk-report","arguments":{"from":"::1","max_tickets":"101"}}`},
			{protocol.MethodPromptsGet, `{"name":"desk-report","arguments":{"from":"::1","open":"maybe"}}`},
			{protocol.MethodPromptsList, `{"cursor":"forged"}`},
			{protocol.MethodCompletionComplete,
				`{"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"x","value":""}}`},
			{protocol.MethodCompletionComplete,
				`{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"x","value":""}}`},
			{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/resource","uri":"tickets:///{number}"},"argument":{"name":"number","value":""}}`},
			{protocol.MethodResourcesList, `{}`},
			{protocol.MethodToolsCall, `{"name":"review"}`},
		} {
			c.Do(request.method, []byte(request.params))
		}
	})
}

// The list comes in pages, and follows what is switched on.
func TestWirePages(t *testing.T) {
	var srv *desk.DeskServer
	start := func(t *testing.T) mcptest.Server { srv = newServer(t, 2); return srv }
	transcript.Run(t, "pages", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Prompts()
		changes := c.SubscribePrompts()
		srv.SetReportEnabled(false)
		changes.Next()
		c.Prompts()
		c.Do(protocol.MethodPromptsGet, []byte(`{"name":"desk-report","arguments":{"from":"::1"}}`))
		c.Do(protocol.MethodCompletionComplete, []byte(`{"ref":{"type":"ref/prompt","name":"desk-report"},"argument":{"name":"every","value":""}}`))
	})
}

// Prompts are complete for a model: every kind of block arrives, or what an old client reads instead.
func TestEvidence(t *testing.T) {
	t.Attr("requirements", "prompt-media prompt-embedded")
	for _, rev := range mcp.Revisions() {
		if rev == protocol.Revision20241105 {
			continue
		}
		c := mcptest.New(t, newServer(t, 0), mcptest.WithRevision(rev))
		r := c.GetPrompt("evidence")
		if r.Description != "What came with ticket OPS/1." || len(r.Messages) != 4 {
			t.Fatalf("%s: %+v", rev, r)
		}
		image, ok := r.Messages[0].Content.(*protocol.ImageContent)
		if !ok || string(image.Data) != "PNG" || *image.Annotations.Priority != 0.9 {
			t.Errorf("%s: image %+v", rev, r.Messages[0].Content)
		}
		if sound, ok := r.Messages[1].Content.(*protocol.AudioContent); !ok || string(sound.Data) != "WAV" {
			t.Errorf("%s: audio %+v", rev, r.Messages[1].Content)
		}
		if _, isLink := r.Messages[3].Content.(*protocol.ResourceLink); isLink != (rev >= protocol.Revision20250618) {
			t.Errorf("%s: link %+v", rev, r.Messages[3].Content)
		}
	}
}

// A completion that depends on an earlier argument hears of it from 2025-06-18 on.
func TestCompletionHearsEarlierArguments(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		c := mcptest.New(t, newServer(t, 0), mcptest.WithRevision(rev))
		want := []string{"2"}
		if rev < protocol.Revision20250618 {
			want = []string{"1", "12", "2"}
		}
		if got := c.CompletePrompt("review", "number", "", "project", "DEV"); !slices.Equal(got, want) {
			t.Errorf("%s: %q", rev, got)
		}
	}
}
