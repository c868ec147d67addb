// Package mcpgo is the small server of the comparison, made with mark3labs/mcp-go.
package mcpgo

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// New returns the small server.
func New() *server.MCPServer {
	s := empty("bench")
	addSmall(s)
	return s
}

// addSmall adds what the small server has.
func addSmall(s *server.MCPServer) {
	text := mcp.NewResource("bench:///text", "text", mcp.WithResourceDescription("Returns 1 KiB of text."),
		mcp.WithMIMEType("text/markdown"))
	s.AddResource(text, reader(func(uri string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: "text/markdown", Text: work.Text()}
	}))
	blob := mcp.NewResource("bench:///blob", "blob", mcp.WithResourceDescription("Returns 64 KiB of bytes."),
		mcp.WithMIMEType("application/octet-stream"))
	s.AddResource(blob, reader(func(uri string) mcp.ResourceContents {
		return encoded(uri, base64.StdEncoding.EncodeToString(work.Blob()))
	}))
	fixed := mcp.NewResource("bench:///fixed", "fixed", mcp.WithResourceDescription("Holds 64 KiB that never change."),
		mcp.WithMIMEType("application/octet-stream"))
	once := base64.StdEncoding.EncodeToString(work.Blob())
	s.AddResource(fixed, reader(func(uri string) mcp.ResourceContents { return encoded(uri, once) }))
	addTemplate(s, "item:///{id}/text", "item")
	tool := mcp.NewTool("search", mcp.WithDescription("Finds things."), mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithInputSchema[work.In](), mcp.WithOutputSchema[work.Out]())
	s.AddTool(tool, mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in work.In) (work.Out,
		error) {
		return work.Search(in), nil
	}))
}

// Listed returns a server of a thousand entries.
func Listed() *server.MCPServer {
	s := empty("listed")
	for _, id := range work.IDs() {
		s.AddResource(mcp.NewResource("list:///"+id, id, mcp.WithResourceDescription(work.ListDescription),
			mcp.WithMIMEType("text/plain")), echo)
	}
	return s
}

// Templates returns a server of a thousand templates.
func Templates() *server.MCPServer {
	s := empty("many")
	for i := range work.Many {
		addTemplate(s, fmt.Sprintf("many:///t%03d/{id}/text", i), fmt.Sprintf("t%03d", i))
	}
	return s
}

// empty returns a server that checks the arguments of tools, as the others always do. It does not check their results,
// which is an option of the library and its default.
func empty(name string) *server.MCPServer {
	return server.NewMCPServer(name, "v1.0.0", server.WithRecovery(), server.WithInputSchemaValidation())
}

func addTemplate(s *server.MCPServer, uri, name string) {
	t := mcp.NewResourceTemplate(uri, name, mcp.WithTemplateDescription("Returns the name it was asked for."),
		mcp.WithTemplateMIMEType("text/plain"))
	s.AddResourceTemplate(t, server.ResourceTemplateHandlerFunc(echo))
}

var echo = reader(func(uri string) mcp.ResourceContents {
	return mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: uri}
})

func encoded(uri, blob string) mcp.ResourceContents {
	return mcp.BlobResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: blob}
}

func reader(contents func(uri string) mcp.ResourceContents) server.ResourceHandlerFunc {
	return func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{contents(r.Params.URI)}, nil
	}
}
