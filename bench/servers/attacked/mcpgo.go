package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mcpgoLibrary is a server made with mcp-go. Its handler serves all revisions.
func mcpgoLibrary() library {
	s := server.NewMCPServer("attacked", "1.0.0", server.WithResourceCapabilities(true, true), server.WithElicitation())
	for name, call := range simple {
		addMCPGoTool(s, name, func(ctx context.Context, a in) (string, error) { return call(ctx.Done(), a), nil })
	}
	addMCPGoTool(s, "publish", func(_ context.Context, a in) (string, error) {
		s.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": "item:///" + a.Name})
		return a.Name, nil
	})
	addMCPGoTool(s, "ask", func(ctx context.Context, _ in) (string, error) {
		_, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "What is it?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}}}})
		return "", err
	})
	for _, scheme := range []string{"item", "watched"} {
		s.AddResourceTemplate(mcp.NewResourceTemplate(scheme+":///{name}", scheme),
			func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: r.Params.URI}}, nil
			})
	}
	s.AddResourceTemplate(mcp.NewResourceTemplate("handbook:///{+path}", "handbook"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			text, err := page(r.Params.URI)
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: text}}, err
		})
	h := server.NewStreamableHTTPServer(s)
	return library{legacy: h, modern: h, stdio: func() error { return server.ServeStdio(s) }}
}

func addMCPGoTool(s *server.MCPServer, name string, call func(context.Context, in) (string, error)) {
	s.AddTool(mcp.NewTool(name, mcp.WithInputSchema[in]()),
		mcp.NewTypedToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, a in) (*mcp.CallToolResult, error) {
			text, err := call(ctx, a)
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(text), nil
		}))
}
