package clients

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpgen/mcpgen/internal/dev/interop/httpfixture"
	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

const (
	modern = "2026-07-28"
	// patience bounds every wait; nothing is asserted about how long things take within it.
	patience = time.Minute
	alpha    = "notes:///alpha"
)

// schemas returns the validator of messages.
func schemas(t *testing.T) *validator.Schemas {
	t.Helper()
	s, err := validator.Open("../..")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// session is a client of one server.
type session struct {
	*client.Client
	t        *testing.T
	ctx      context.Context
	revision string
	told     chan mcp.JSONRPCNotification // of updates and acknowledgements
}

// connect connects to the server at url, asking for a revision.
func connect(t *testing.T, url, revision string) *session {
	t.Helper()
	return connectTo(t, newClient(t, url, revision), revision)
}

// connectTo is connect with a client that knows where.
func connectTo(t *testing.T, c *client.Client, revision string) *session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &session{t: t, ctx: ctx, revision: revision, told: make(chan mcp.JSONRPCNotification, 64)}
	s.Client = c
	t.Cleanup(func() { _ = s.Close() })
	s.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/resources/updated" || n.Method == "notifications/subscriptions/acknowledged" {
			s.told <- n
		}
	})
	if err := s.Start(ctx); err != nil {
		t.Fatalf("start: %v", err)
	}
	var open mcp.InitializeRequest
	open.Params.ProtocolVersion = revision
	open.Params.ClientInfo = mcp.Implementation{Name: "interop", Version: "1"}
	r, err := s.Initialize(ctx, open)
	if err != nil {
		t.Fatalf("initialize: %v", err)
	}
	if r.ProtocolVersion != revision || s.ProtocolVersion() != revision {
		t.Fatalf("agreed on %s, asked for %s", r.ProtocolVersion, revision)
	}
	return s
}

// TestMCPGoClientHTTP drives three servers over HTTP in the newest and the oldest revision that mcp-go speaks, and in
// the newest that has sessions.
func TestMCPGoClientHTTP(t *testing.T) {
	for _, revision := range []string{modern, "2025-11-25", "2024-11-05"} {
		t.Run(revision, func(t *testing.T) {
			web := httpfixture.Start(t, schemas(t), revision)
			notes := connect(t, web.Notes, revision)
			notes.lists()
			notes.callsTool()
			notes.completes(reference("notes:///{name}"), "name", "al", "alpha")
			notes.hearsOfEdit(web.Dir)
			desk := connect(t, web.Desk, revision)
			desk.getsPrompt()
			desk.completes(mcp.PromptReference{Type: "ref/prompt", Name: "review"}, "tone", "fr", "friendly")
			if revision >= "2025-06-18" {
				connect(t, web.Ask, revision).answersForms()
			}
		})
	}
}

// reference names a template.
func reference(uri string) mcp.ResourceReference {
	return mcp.ResourceReference{Type: "ref/resource", URI: uri}
}

func (s *session) lists() {
	s.t.Helper()
	resources, err := s.ListResources(s.ctx, mcp.ListResourcesRequest{})
	if err != nil {
		s.t.Fatalf("resources/list: %v", err)
	}
	var uris []string
	for _, r := range resources.Resources {
		uris = append(uris, r.URI)
	}
	if want := []string{"docs:///readme", "notebook:///index", alpha, "notes:///beta"}; !slices.Equal(uris, want) {
		s.t.Errorf("resources %q, want %q", uris, want)
	}
	templates, err := s.ListResourceTemplates(s.ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil || len(templates.ResourceTemplates) != 1 ||
		templates.ResourceTemplates[0].URITemplate.Raw() != "notes:///{name}" {
		s.t.Errorf("templates %+v, %v", templates, err)
	}
	if got := s.read(alpha); got != httpfixture.Alpha {
		s.t.Errorf("alpha %q", got)
	}
	var missing mcp.ReadResourceRequest
	missing.Params.URI = "notes:///gamma"
	if _, err := s.ReadResource(s.ctx, missing); err == nil || !strings.Contains(err.Error(), "not found") {
		s.t.Errorf("a missing note gives %v", err)
	}
}

// read returns the text of a resource.
func (s *session) read(uri string) string {
	s.t.Helper()
	var ask mcp.ReadResourceRequest
	ask.Params.URI = uri
	r, err := s.ReadResource(s.ctx, ask)
	if err != nil || len(r.Contents) != 1 {
		s.t.Fatalf("read %s: %+v, %v", uri, r, err)
	}
	text, ok := r.Contents[0].(mcp.TextResourceContents)
	if !ok || text.URI != uri || text.MIMEType != "text/markdown" {
		s.t.Fatalf("read %s: %+v", uri, r.Contents[0])
	}
	return text.Text
}

func (s *session) callsTool() {
	s.t.Helper()
	tools, err := s.ListTools(s.ctx, mcp.ListToolsRequest{})
	if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "search" {
		s.t.Fatalf("tools %+v, %v", tools, err)
	}
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "search", map[string]any{"query": "SECOND"}
	r, err := s.CallTool(s.ctx, call)
	if err != nil || r.IsError || len(r.Content) == 0 {
		s.t.Fatalf("search: %+v, %v", r, err)
	}
	if text, ok := r.Content[0].(mcp.TextContent); !ok || !strings.Contains(text.Text, "notes:///beta") {
		s.t.Errorf("search gives %+v", r)
	}
}

func (s *session) completes(ref any, name, value, want string) {
	s.t.Helper()
	var ask mcp.CompleteRequest
	ask.Params.Ref, ask.Params.Argument = ref, mcp.CompleteArgument{Name: name, Value: value}
	r, err := s.Complete(s.ctx, ask)
	if err != nil || !slices.Equal(r.Completion.Values, []string{want}) {
		s.t.Errorf("completions of %s: %+v, %v", value, r, err)
	}
}

func (s *session) getsPrompt() {
	s.t.Helper()
	list, err := s.ListPrompts(s.ctx, mcp.ListPromptsRequest{})
	if err != nil || !slices.ContainsFunc(list.Prompts, func(p mcp.Prompt) bool {
		return p.Name == "review" &&
			len(p.Arguments) == 3
	}) {
		s.t.Errorf("prompts %+v, %v", list, err)
	}
	var ask mcp.GetPromptRequest
	ask.Params.Name, ask.Params.Arguments = "review", map[string]string{"project": "OPS", "number": "1"}
	r, err := s.GetPrompt(s.ctx, ask)
	if err != nil || len(r.Messages) != 3 {
		s.t.Fatalf("review: %+v, %v", r, err)
	}
	if text, ok := r.Messages[0].Content.(mcp.TextContent); !ok || text.Text != "Write a friendly answer to this ticket." {
		s.t.Errorf("first message %+v", r.Messages[0])
	}
}

// hearsOfEdit subscribes, changes a note and reads it again when told to.
func (s *session) hearsOfEdit(dir string) {
	s.t.Helper()
	if s.revision == modern {
		stop, err := s.ListenAsync(s.ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{alpha}}, func(err error) {
			s.t.Errorf("listen: %v", err)
		})
		if err != nil {
			s.t.Fatal(err)
		}
		defer stop()
		if n := s.next(); n.Method != "notifications/subscriptions/acknowledged" {
			s.t.Fatalf("a listen begins with %s", n.Method)
		}
	} else {
		var ask mcp.SubscribeRequest
		ask.Params.URI = alpha
		if err := s.Subscribe(s.ctx, ask); err != nil {
			s.t.Fatalf("subscribe: %v", err)
		}
	}
	const edited = "# Alpha\n\nEdited.\n"
	tmp := filepath.Join(dir, "alpha.tmp")
	if err := os.WriteFile(tmp, []byte(edited), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(dir, "alpha.md")); err != nil {
		s.t.Fatal(err)
	}
	if n := s.next(); n.Params.AdditionalFields["uri"] != alpha {
		s.t.Errorf("told of %+v", n)
	}
	if got := s.read(alpha); got != edited {
		s.t.Errorf("alpha after its update %q", got)
	}
}

func (s *session) next() mcp.JSONRPCNotification {
	s.t.Helper()
	select {
	case n := <-s.told:
		return n
	case <-s.ctx.Done():
		s.t.Fatal("no notification arrives")
		return mcp.JSONRPCNotification{}
	}
}

// answersForms books a trip and fills in what is asked.
func (s *session) answersForms() {
	s.t.Helper()
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "book", map[string]any{"to": "Rome"}
	r, err := s.CallTool(s.ctx, call)
	if err != nil {
		s.t.Fatalf("book: %v", err)
	}
	if booked, ok := r.StructuredContent.(map[string]any); !ok || booked["name"] != "Ada" || booked["class"] != "first" {
		s.t.Errorf("booked %+v", r)
	}
}
