package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const callback = "http://localhost:3000/callback"

// consent does what a browser does, until it is sent back to the client.
func consent(ctx context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	back := errors.New("back")
	var params url.Values
	client := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Port() == "3000" {
			params = r.URL.Query()
			return back
		}
		return nil
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(r)
	if !errors.Is(err, back) {
		if err == nil {
			_ = resp.Body.Close()
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil, err
	}
	return &sdkauth.AuthorizationResult{Code: params.Get("code"), State: params.Get("state"), Iss: params.Get("iss")}, nil
}

// The client of the Go SDK registers, signs in, reads, steps up, writes, and goes on when its token has expired.
func TestGoSDK(t *testing.T) {
	endpoint := startDiary(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var asked atomic.Int32
	handler, err := sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		RedirectURL: callback,
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "diary test", RedirectURIs: []string{callback},
				GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none"},
		},
		AuthorizationCodeFetcher: func(
			ctx context.Context, args *sdkauth.AuthorizationArgs,
		) (*sdkauth.AuthorizationResult, error) {
			asked.Add(1)
			return consent(ctx, args)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "diary test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	read := func() string {
		r, err := session.ReadResource(ctx, &sdk.ReadResourceParams{URI: "diary:///entries"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Contents[0].Text
	}
	if text := read(); text != "" || asked.Load() != 1 {
		t.Errorf("read %q after %d consents", text, asked.Load())
	}
	_, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "write", Arguments: map[string]any{"text": "Rain."}})
	if err != nil || asked.Load() != 2 {
		t.Fatalf("after %d consents: %v", asked.Load(), err)
	}
	time.Sleep(expired) // the token expires under the stream of the session
	if text := read(); text != "Rain." {
		t.Errorf("read %q", text)
	}
}
