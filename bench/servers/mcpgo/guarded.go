package mcpgo

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

var errForbidden = errors.New("forbidden")

type scopesKey struct{}

// WithScopes returns a context of a caller who has these scopes.
func WithScopes(ctx context.Context, scopes []string) context.Context {
	return context.WithValue(ctx, scopesKey{}, scopes)
}

// Authenticate reads the token of a request over HTTP.
func Authenticate(ctx context.Context, r *http.Request) context.Context {
	if r.Header.Get("Authorization") != "Bearer "+work.Token {
		return ctx
	}
	return WithScopes(ctx, work.Granted)
}

// Guarded returns the server of the headline rows.
func Guarded() *server.MCPServer {
	s := server.NewMCPServer("bench", "v1.0.0", server.WithRecovery(), server.WithInputSchemaValidation(),
		server.WithLogger(work.Logger()), server.WithToolHandlerMiddleware(guardTool),
		server.WithResourceHandlerMiddleware(guardResource), server.WithResourceCapabilities(true, true))
	addSmall(s)
	news := mcp.NewResource(work.News, "news", mcp.WithMIMEType("text/markdown"))
	s.AddResource(news, reader(func(uri string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: "text/markdown", Text: work.Text()}
	}))
	text := mcp.NewResource(work.LargeTextURI, "large-text", mcp.WithMIMEType("text/markdown"))
	s.AddResource(text, reader(func(uri string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: "text/markdown", Text: work.LargeText()}
	}))
	blob := mcp.NewResource(work.LargeBlobURI, "large-blob", mcp.WithMIMEType("application/octet-stream"))
	s.AddResource(blob, reader(func(uri string) mcp.ResourceContents {
		return encoded(uri, base64.StdEncoding.EncodeToString(work.LargeBlob()))
	}))
	return s
}

func guardTool(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel, err := enter(ctx)
		if err != nil {
			return nil, err
		}
		defer cancel()
		return next(ctx, r)
	}
}

func guardResource(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
	return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		ctx, cancel, err := enter(ctx)
		if err != nil {
			return nil, err
		}
		defer cancel()
		return next(ctx, r)
	}
}

func enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	scopes, _ := ctx.Value(scopesKey{}).([]string)
	if !slices.Contains(scopes, work.Scope) {
		return nil, nil, errForbidden
	}
	ctx, cancel := context.WithTimeout(ctx, work.Timeout)
	return ctx, cancel, nil
}
