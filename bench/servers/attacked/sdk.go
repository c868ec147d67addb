package main

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkLibrary is a server made with go-sdk. It serves 2026-07-28 over HTTP without sessions only.
func sdkLibrary() library {
	s := mcp.NewServer(&mcp.Implementation{Name: "attacked", Version: "1.0.0"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	for name, call := range simple {
		addSDKTool(s, name, func(ctx context.Context, _ *mcp.CallToolRequest, a in) (string, error) {
			return call(ctx.Done(), a), nil
		})
	}
	addSDKTool(s, "publish", func(ctx context.Context, _ *mcp.CallToolRequest, a in) (string, error) {
		return a.Name, s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "item:///" + a.Name})
	})
	addSDKTool(s, "ask", func(ctx context.Context, r *mcp.CallToolRequest, _ in) (string, error) {
		_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "What is it?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}}})
		return "", err
	})
	for _, scheme := range []string{"item", "watched"} {
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scheme + ":///{name}", Name: scheme},
			func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: r.Params.URI}}}, nil
			})
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "handbook:///{+path}", Name: "handbook"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := page(r.Params.URI)
			if err != nil {
				return nil, mcp.ResourceNotFoundError(r.Params.URI)
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text}}}, nil
		})
	get := func(*http.Request) *mcp.Server { return s }
	return library{
		legacy: mcp.NewStreamableHTTPHandler(get, nil),
		modern: mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}),
		stdio:  func() error { return s.Run(context.Background(), &mcp.StdioTransport{}) },
	}
}

func addSDKTool(s *mcp.Server, name string, call func(context.Context, *mcp.CallToolRequest, in) (string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name}, func(ctx context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any,
		error) {
		text, err := call(ctx, r, a)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}
