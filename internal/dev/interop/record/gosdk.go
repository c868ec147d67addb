package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

// patience bounds one conversation.
const patience = time.Minute

// converse lets a client and a server of the Go SDK speak a revision with each other. Both sides of tests are ours
// otherwise.
func converse(schemas *validator.Schemas, revision string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	toServer, toClient := sdk.NewInMemoryTransports()
	serving, err := goServer().Connect(ctx, toClient, nil)
	if err != nil {
		return err
	}
	defer serving.Close()
	watched := &tap{Transport: toServer, session: schemas.Session(revision)}
	session, err := goClient().Connect(ctx, watched, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return err
	}
	defer session.Close()
	// What a revision does not have fails, and that is no part of the conversation.
	_ = session.Ping(ctx, nil)
	_, _ = session.ListTools(ctx, nil)
	_, _ = session.ListPrompts(ctx, nil)
	_, _ = session.ListResources(ctx, nil)
	_, _ = session.ListResourceTemplates(ctx, nil)
	_ = session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "debug"})
	_ = session.Subscribe(ctx, &sdk.SubscribeParams{URI: "test:///a"})
	_, _ = session.ReadResource(ctx, &sdk.ReadResourceParams{URI: "test:///a"})
	_, _ = session.GetPrompt(ctx, &sdk.GetPromptParams{Name: "greet", Arguments: map[string]string{"name": "Ada"}})
	for _, ref := range []*sdk.CompleteReference{{Type: "ref/prompt", Name: "greet"},
		{Type: "ref/resource", URI: "test:///{name}"}} {
		_, _ = session.Complete(ctx, &sdk.CompleteParams{Ref: ref,
			Argument: sdk.CompleteParamsArgument{Name: "name", Value: "A"}})
	}
	for _, tool := range []string{"content", "ask", "sample", "roots", "log", "fail"} {
		params := &sdk.CallToolParams{Name: tool, Arguments: map[string]any{"n": 1}}
		params.SetProgressToken("p1")
		_, _ = session.CallTool(ctx, params)
	}
	_ = session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: "test:///a"})
	return nil
}

func goClient() *sdk.Client {
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Title: "Client", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "age": 36}}, nil
		},
		CreateMessageHandler: func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			return &sdk.CreateMessageResult{Role: "assistant", Model: "m", StopReason: "endTurn",
				Content: &sdk.TextContent{Text: "text"}}, nil
		},
	})
	c.AddRoots(&sdk.Root{URI: "file:///a", Name: "a"})
	return c
}

func goServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "server", Title: "Server", Version: "1"}, &sdk.ServerOptions{
		Instructions: "words", Logger: slog.New(slog.DiscardHandler),
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{"Ada"}, Total: 1}}, nil
		},
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "text"},
			{URI: r.Params.URI, MIMEType: "image/png", Blob: []byte("hello")}}}, nil
	}
	s.AddResource(&sdk.Resource{URI: "test:///a", Name: "a", Title: "A", Size: 5}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test:///{name}", Name: "any"}, read)
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "name", Required: true}}},
		func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: contents()[0]}}}, nil
		})
	for name, call := range goTools {
		sdk.AddTool(s, &sdk.Tool{Name: name, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
			func(ctx context.Context, r *sdk.CallToolRequest, in struct {
				N int `json:"n"`
			}) (*sdk.CallToolResult, struct{ Done bool }, error) {
				return &sdk.CallToolResult{Content: contents()}, struct{ Done bool }{true}, call(ctx, r)
			})
	}
	return s
}

func contents() []sdk.Content {
	return []sdk.Content{
		&sdk.TextContent{Text: "text", Annotations: &sdk.Annotations{Audience: []sdk.Role{"user"}, Priority: 0.5}},
		&sdk.ImageContent{Data: []byte("hello"), MIMEType: "image/png"},
		&sdk.AudioContent{Data: []byte("hello"), MIMEType: "audio/wav"},
		&sdk.ResourceLink{URI: "test:///a", Name: "a"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test:///a", Text: "text"}},
	}
}

// goTools are what the tools ask of the client.
var goTools = map[string]func(context.Context, *sdk.CallToolRequest) error{
	"content": func(context.Context, *sdk.CallToolRequest) error { return nil },
	"fail":    func(context.Context, *sdk.CallToolRequest) error { return context.Canceled },
	"ask": func(ctx context.Context, r *sdk.CallToolRequest) error {
		_, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Who?", RequestedSchema: map[string]any{"type": "object",
			"properties": map[string]any{"name": map[string]any{"type": "string"},
				"age": map[string]any{"type": "integer", "minimum": 0}}}})
		return err
	},
	"sample": func(ctx context.Context, r *sdk.CallToolRequest) error {
		_, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 5, SystemPrompt: "words",
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: contents()[1]}}})
		return err
	},
	"roots": func(ctx context.Context, r *sdk.CallToolRequest) error {
		_, err := r.Session.ListRoots(ctx, nil)
		return err
	},
	"log": func(ctx context.Context, r *sdk.CallToolRequest) error {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(),
			Progress: 1, Total: 2})
		return r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Logger: "l", Data: map[string]any{"a": 1}})
	},
}

// tap shows the messages of both sides to a session that records them. Whether they are right is no question here.
type tap struct {
	sdk.Transport
	mu      sync.Mutex
	session *validator.Session
}

// Connect implements sdk.Transport.
func (p *tap) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &tapped{c, p}, err
}

type tapped struct {
	sdk.Connection
	tap *tap
}

// Write implements sdk.Connection.
func (c *tapped) Write(ctx context.Context, m jsonrpc.Message) error {
	if text, err := jsonrpc.EncodeMessage(m); err == nil {
		c.tap.mu.Lock()
		c.tap.session.FromClient(text)
		c.tap.mu.Unlock()
	}
	return c.Connection.Write(ctx, m)
}

// Read implements sdk.Connection.
func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		return m, err
	}
	if text, err := jsonrpc.EncodeMessage(m); err == nil {
		c.tap.mu.Lock()
		_ = c.tap.session.FromServer(text) // it has recorded what it judges
		c.tap.mu.Unlock()
	}
	return m, nil
}
