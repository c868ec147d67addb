package interop

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience bounds every wait of these tests; nothing is asserted about how long things take within it.
const patience = time.Minute

// goClient is the official Go client, connected to the notes server.
type goClient struct {
	*sdk.ClientSession
	t       *testing.T
	ctx     context.Context
	dir     string
	updated chan string   // URIs of notifications/resources/updated
	acks    chan struct{} // one for each acknowledged listen
	tap     *tap
}

// connectGo starts the server and connects, asking for a revision.
func connectGo(t *testing.T, revision string) *goClient {
	t.Helper()
	bin, dir := notesServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	c := &goClient{t: t, ctx: ctx, dir: dir, updated: make(chan string, 64), acks: make(chan struct{}, 64)}
	cmd := exec.Command(bin, "-dir", dir)
	cmd.Stderr = t.Output()
	c.tap = newTap(t, &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}, revision)
	c.connect(c.tap, revision)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

// connect connects by a transport, asking for a revision.
func (c *goClient) connect(to sdk.Transport, revision string) {
	c.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
			c.updated <- r.Params.URI
		},
	})
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				c.acks <- struct{}{}
			}
			return next(ctx, method, r)
		}
	})
	session, err := client.Connect(c.ctx, to, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		c.t.Fatalf("connect: %v", err)
	}
	c.ClientSession = session
}

// TestGoClient drives the notes server with the official Go SDK in every revision that the SDK speaks.
func TestGoClient(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			c := connectGo(t, revision)
			if got := c.InitializeResult().ProtocolVersion; got != revision {
				t.Fatalf("agreed on %s, asked for %s", got, revision)
			}
			if got := c.InitializeResult().ServerInfo; got == nil || got.Name != "notes" || got.Version != "1.0.0" {
				t.Errorf("server info %+v", got)
			}
			c.lists()
			c.reads()
			c.notFound(revision)
			c.completes()
			c.callsTool()
			c.callsToolBadly(revision)
			c.subscribes(revision == "2026-07-28")
		})
	}
}

func (c *goClient) lists() {
	c.t.Helper()
	resources, err := c.ListResources(c.ctx, nil)
	if err != nil {
		c.t.Fatalf("resources/list: %v", err)
	}
	var uris []string
	for _, r := range resources.Resources {
		uris = append(uris, r.URI)
	}
	want := []string{"docs:///readme", "notebook:///index", "notes:///alpha", "notes:///beta"}
	if !slices.Equal(uris, want) {
		c.t.Errorf("resources %q, want %q", uris, want)
	}
	templates, err := c.ListResourceTemplates(c.ctx, nil)
	if err != nil {
		c.t.Fatalf("resources/templates/list: %v", err)
	}
	if len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "notes:///{name}" {
		c.t.Errorf("templates %+v", templates.ResourceTemplates)
	}
}

// read returns the text of a resource.
func (c *goClient) read(uri string) string {
	c.t.Helper()
	r, err := c.ReadResource(c.ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		c.t.Fatalf("read %s: %v", uri, err)
	}
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].MIMEType != "text/markdown" {
		c.t.Fatalf("read %s: contents %+v", uri, r.Contents)
	}
	return r.Contents[0].Text
}

func (c *goClient) reads() {
	c.t.Helper()
	if got := c.read("notes:///alpha"); got != alphaText {
		c.t.Errorf("alpha %q", got)
	}
	if got := c.read("docs:///readme"); !strings.HasPrefix(got, "# Team notes\n") {
		c.t.Errorf("readme %q", got)
	}
	if got, want := c.read("notebook:///index"), "- [alpha](notes:///alpha)\n- [beta](notes:///beta)\n"; got != want {
		c.t.Errorf("index %q, want %q", got, want)
	}
}

func (c *goClient) notFound(revision string) {
	c.t.Helper()
	want := int64(-32002)
	if revision == "2026-07-28" {
		want = -32602
	}
	for _, uri := range []string{"notes:///gamma", "other:///alpha"} {
		_, err := c.ReadResource(c.ctx, &sdk.ReadResourceParams{URI: uri})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != want || !strings.Contains(string(e.Data), uri) {
			c.t.Errorf("read %s: error %v, want code %d with the uri in its data", uri, err, want)
		}
	}
}

func (c *goClient) completes() {
	c.t.Helper()
	r, err := c.Complete(c.ctx, &sdk.CompleteParams{
		Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: "notes:///{name}"},
		Argument: sdk.CompleteParamsArgument{Name: "name", Value: "al"},
	})
	if err != nil {
		c.t.Fatalf("complete: %v", err)
	}
	if !slices.Equal(r.Completion.Values, []string{"alpha"}) {
		c.t.Errorf("completions %q", r.Completion.Values)
	}
}

func (c *goClient) callsTool() {
	c.t.Helper()
	tools, err := c.ListTools(c.ctx, nil)
	if err != nil {
		c.t.Fatalf("tools/list: %v", err)
	}
	if len(tools.Tools) != 1 || tools.Tools[0].Name != "search" {
		c.t.Errorf("tools %+v", tools.Tools)
	}
	r, err := c.CallTool(c.ctx, &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": "SECOND"}})
	if err != nil {
		c.t.Fatalf("tools/call: %v", err)
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if r.IsError || !ok || !strings.Contains(text.Text, "notes:///beta") ||
		!strings.Contains(text.Text, "The second letter.") {
		c.t.Errorf("search gives %+v", r)
	}
}

// callsToolBadly leaves out an argument: an error of the protocol up to 2025-06-18, since then one of the tool, which
// a model gets to see.
func (c *goClient) callsToolBadly(revision string) {
	c.t.Helper()
	r, err := c.CallTool(c.ctx, &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"limit": 3}})
	var e *jsonrpc.Error
	switch {
	case revision >= "2025-11-25" && (err != nil || !r.IsError):
		c.t.Errorf("search without its query: %+v, %v; want a result with isError", r, err)
	case revision < "2025-11-25" && (!errors.As(err, &e) || e.Code != -32602):
		c.t.Errorf("search without its query: error %v, want code -32602", err)
	}
}

// subscribes edits notes: the one subscribed to is reported, the other is not, and none after unsubscribe.
func (c *goClient) subscribes(listens bool) {
	c.t.Helper()
	c.subscribe("notes:///alpha", listens)
	c.subscribe("notes:///beta", listens)
	writeNote(c.t, c.dir, "alpha", alphaAfter)
	c.await("notes:///alpha")
	if got := c.read("notes:///alpha"); got != alphaAfter {
		c.t.Errorf("alpha after its update %q", got)
	}
	c.unsubscribe("notes:///alpha", listens)
	writeNote(c.t, c.dir, "alpha", alphaText)
	for _, text := range []string{"one", "another"} { // the second comes at least one look at the files after alpha's edit
		writeNote(c.t, c.dir, "beta", text)
		if got := c.next(); got != "notes:///beta" {
			c.t.Errorf("update of %s, to which nobody subscribes", got)
		}
	}
}

func (c *goClient) subscribe(uri string, listens bool) {
	c.t.Helper()
	if err := c.Subscribe(c.ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
		c.t.Fatalf("subscribe %s: %v", uri, err)
	}
	if !listens {
		return
	}
	select { // this client does not wait for the acknowledgement of a listen
	case <-c.acks:
	case <-c.ctx.Done():
		c.t.Fatalf("listen to %s is not acknowledged", uri)
	}
}

// unsubscribe returns when the server has read that updates of uri are no longer wanted.
func (c *goClient) unsubscribe(uri string, listens bool) {
	c.t.Helper()
	if err := c.Unsubscribe(c.ctx, &sdk.UnsubscribeParams{URI: uri}); err != nil {
		c.t.Fatalf("unsubscribe %s: %v", uri, err)
	}
	if listens { // this client cancels a listen in the background
		<-c.tap.cancels
		c.read("notes:///beta")
	}
	for len(c.updated) > 0 {
		<-c.updated // came before
	}
}

// next returns the URI of the next update.
func (c *goClient) next() string {
	c.t.Helper()
	select {
	case uri := <-c.updated:
		return uri
	case <-c.ctx.Done():
		c.t.Fatal("no update arrives")
		return ""
	}
}

func (c *goClient) await(uri string) {
	c.t.Helper()
	if got := c.next(); got != uri {
		c.t.Fatalf("update of %s, want %s", got, uri)
	}
}
