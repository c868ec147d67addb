package sdk

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

var errForbidden = errors.New("forbidden")

// Guarded returns the server of the headline rows. Callers have the scopes of their token, or else those that are
// granted.
func Guarded(granted []string) *mcp.Server {
	nothing := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	options := mcp.ServerOptions{Logger: work.Logger(), SubscribeHandler: nothing,
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil }}
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, &options)
	addSmall(s)
	s.AddResource(&mcp.Resource{URI: work.News, Name: "news", MIMEType: "text/markdown"}, echo)
	s.AddResource(&mcp.Resource{URI: work.LargeTextURI, Name: "large-text", MIMEType: "text/markdown"},
		reader(func(uri string) *mcp.ResourceContents {
			return &mcp.ResourceContents{URI: uri, MIMEType: "text/markdown", Text: work.LargeText()}
		}))
	s.AddResource(&mcp.Resource{URI: work.LargeBlobURI, Name: "large-blob", MIMEType: "application/octet-stream"},
		reader(func(uri string) *mcp.ResourceContents {
			return &mcp.ResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: work.LargeBlob()}
		}))
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "tools/call" && method != "resources/read" {
				return next(ctx, method, req)
			}
			scopes := granted
			if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
				scopes = extra.TokenInfo.Scopes
			}
			if !slices.Contains(scopes, work.Scope) {
				return nil, errForbidden
			}
			ctx, cancel := context.WithTimeout(ctx, work.Timeout)
			defer cancel()
			return next(ctx, method, req)
		}
	})
	return s
}

// Authenticate reads the token of each request as the library does.
func Authenticate(h http.Handler) http.Handler {
	far := time.Now().Add(24 * time.Hour) // the library wants tokens to expire
	known := &auth.TokenInfo{Scopes: work.Granted, UserID: work.Subject, Expiration: far}
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if token != work.Token {
			return nil, auth.ErrInvalidToken
		}
		return known, nil
	}
	return auth.RequireBearerToken(verify, nil)(h)
}
