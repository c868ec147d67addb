// Package sdk is the small server of the comparison, made with the official Go SDK.
package sdk

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// New returns the small server.
func New() *mcp.Server {
	s := empty("bench")
	addSmall(s)
	return s
}

// addSmall adds what the small server has. The library checks arguments and results by schemas that it infers.
func addSmall(s *mcp.Server) {
	text := &mcp.Resource{URI: "bench:///text", Name: "text", Description: "Returns 1 KiB of text.",
		MIMEType: "text/markdown"}
	s.AddResource(text, reader(func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "text/markdown", Text: work.Text()}
	}))
	bytes := reader(func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: work.Blob()}
	})
	s.AddResource(&mcp.Resource{URI: "bench:///blob", Name: "blob", Description: "Returns 64 KiB of bytes.",
		MIMEType: "application/octet-stream"}, bytes)
	s.AddResource(&mcp.Resource{URI: "bench:///fixed", Name: "fixed", Description: "Holds 64 KiB that never change.",
		MIMEType: "application/octet-stream"}, bytes)
	addTemplate(s, "item:///{id}/text", "item")
	tool := &mcp.Tool{Name: "search", Description: "Finds things.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	mcp.AddTool(s, tool, func(_ context.Context, _ *mcp.CallToolRequest, in work.In) (*mcp.CallToolResult, work.Out,
		error) {
		return nil, work.Search(in), nil
	})
}

// Listed returns a server of a thousand entries.
func Listed() *mcp.Server {
	s := empty("listed")
	for _, id := range work.IDs() {
		r := &mcp.Resource{URI: "list:///" + id, Name: id, Description: work.ListDescription, MIMEType: "text/plain"}
		s.AddResource(r, echo)
	}
	return s
}

// Templates returns a server of a thousand templates.
func Templates() *mcp.Server {
	s := empty("many")
	for i := range work.Many {
		addTemplate(s, fmt.Sprintf("many:///t%03d/{id}/text", i), fmt.Sprintf("t%03d", i))
	}
	return s
}

func empty(name string) *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: name, Version: "1.0.0"}, nil)
}

func addTemplate(s *mcp.Server, uri, name string) {
	t := &mcp.ResourceTemplate{URITemplate: uri, Name: name, Description: "Returns the name it was asked for.",
		MIMEType: "text/plain"}
	s.AddResourceTemplate(t, echo)
}

// echo answers with the URI, which saves it from taking the URI apart as the library does not.
var echo = reader(func(uri string) *mcp.ResourceContents {
	return &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: uri}
})

func reader(contents func(uri string) *mcp.ResourceContents) mcp.ResourceHandler {
	return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents(r.Params.URI)}}, nil
	}
}
