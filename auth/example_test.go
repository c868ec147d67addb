package auth_test

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A program with an http.Server of its own, whose issuer is asked about each token.
func ExampleNew() { //nolint:testableexamples // there is no such issuer
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	tokens, err := auth.New(auth.Options{
		Issuer:       "https://login.example.com",
		URL:          "https://mcp.example.com/mcp",
		Introspect:   true,
		ClientID:     "mcp-server",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Caller: func(_ context.Context, t *auth.Token) (mcp.Caller, error) {
			if t.Claims["department"] != "sales" {
				return mcp.Caller{}, errors.New("not of this department")
			}
			return mcp.Caller{Subject: t.Subject, Scopes: t.Scopes}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	opts := new(mcphttp.Options)
	tokens.Secure(srv, opts)
	h, err := mcphttp.Handler(srv, opts)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	mux.Handle("/.well-known/oauth-protected-resource", tokens.Metadata())
	mux.Handle("/.well-known/oauth-protected-resource/", tokens.Metadata())
}

// A handler asks another service in the name of its caller.
func ExampleExchange() { //nolint:testableexamples // there is no such service
	_ = func(ctx context.Context) (*http.Response, error) {
		token, err := auth.Exchange(ctx, "https://mail.example.com", []string{"mail.read"})
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://mail.example.com/inbox", nil)
		if err != nil {
			return nil, err
		}
		token.SetHeader(r)
		return http.DefaultClient.Do(r)
	}
}
