package signin

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// post sends a form to the issuer as one of its clients and reads the answer into v.
func post(t *testing.T, to, client, secret string, form url.Values, v any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(client, secret)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %d %s", to, err, resp.StatusCode, body)
	}
	if v != nil && json.Unmarshal(body, v) != nil {
		t.Fatalf("%s: %s", to, body)
	}
}

// An opaque token counts as long as the issuer says so: a stream of a revoked one ends within a minute, and then it is
// refused.
func TestRevoked(t *testing.T) {
	t.Parallel()
	const resource = "http://localhost/mcp"
	issuer := startIssuer(t, resource, "3600", "opaque")
	var token struct {
		Text string `json:"access_token"`
	}
	post(t, issuer+"/token", "robot", "robot-secret", url.Values{"grant_type": {"client_credentials"}, "resource": {resource},
		"scope": {"diary.read"}}, &token)
	s, err := auth.New(auth.Options{Issuer: issuer, Audience: resource, Introspect: true, ClientID: "server",
		ClientSecret: "server-secret"})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = srv.Close() }()
	opts := new(mcphttp.Options)
	s.Secure(srv, opts)
	h, err := mcphttp.Handler(srv, opts)
	if err != nil {
		t.Fatal(err)
	}
	const valid = 10 * time.Second // until the token is revoked: the first listen has been accepted by then
	listen := func() (int, time.Duration) {
		body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, resource, strings.NewReader(body))
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen", "Authorization": "Bearer " + token.Text} {
			r.Header.Set(name, value)
		}
		w, start := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, r)
		return w.Code, time.Since(start)
	}
	time.AfterFunc(valid, func() {
		post(t, issuer+"/token/revocation", "robot", "robot-secret", url.Values{"token": {token.Text}}, nil)
	})
	if status, d := listen(); status != 200 || d < valid || d > valid+time.Minute+patience/4 {
		t.Errorf("the stream of a revoked token has status %d and ended after %v", status, d)
	}
	if status, d := listen(); status != 401 || d > patience/4 {
		t.Errorf("a revoked token: status %d after %v", status, d)
	}
}
