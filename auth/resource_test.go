package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// The document stands at both paths, for pages of all origins, and has the scopes of the features.
func TestDocument(t *testing.T) {
	t.Attr("requirements", "auth-metadata auth-servers auth-challenge auth-proxy auth-own-server auth-grants "+
		"auth-redirects")
	r := newRig(t, auth.Options{RequireDPoP: true})
	defer r.srv.Close()
	for _, x := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/.well-known/oauth-protected-resource", 200},
		{"GET", "/.well-known/oauth-protected-resource/mcp", 200},
		{"HEAD", "/.well-known/oauth-protected-resource/mcp", 200},
		{"OPTIONS", "/.well-known/oauth-protected-resource/mcp", 204},
		{"POST", "/.well-known/oauth-protected-resource/mcp", 405},
		{"GET", "/.well-known/oauth-protected-resource/other", 404},
	} {
		w := httptest.NewRecorder()
		r.auth.Metadata().ServeHTTP(w, httptest.NewRequest(x.method, x.path, nil))
		if w.Code != x.status || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %s: %d %v", x.method, x.path, w.Code, w.Header())
		}
		if x.method != "GET" || x.status != 200 {
			continue
		}
		const want = `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://login.example.com"],` +
			`"scopes_supported":["vault","vault.admin","vault.audit","vault.write"],"bearer_methods_supported":["header"],` +
			`"dpop_signing_alg_values_supported":["ES256","ES384","ES512","EdDSA","PS256","PS384","PS512","RS256","RS384",` +
			`"RS512"],"dpop_bound_access_tokens_required":true}`
		if got := w.Body.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What is a matter between a client and its issuer, and what is no scope, is in neither the document nor a challenge,
// though a feature names it.
func TestScopesOfIssuers(t *testing.T) {
	srv, err := mcprt.NewServer(&mcprt.Features{Info: protocol.Implementation{Name: "s", Version: "1"},
		Tools: []mcprt.Tool{{Entry: &protocol.Tool{Name: "t", InputSchema: mcprt.NoInput},
			Guard: &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"read", "offline_access", "a b"}}},
			Call:  func(*mcprt.Call, []byte) (mcprt.ToolResult, error) { return mcprt.ToolResult{}, nil }}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	tokens, err := auth.New(auth.Options{Issuer: issuerID, Audience: resource})
	if err != nil {
		t.Fatal(err)
	}
	tokens.Secure(srv, new(mcphttp.Options))
	w := httptest.NewRecorder()
	tokens.Metadata().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/oauth-protected-resource", nil))
	if !strings.Contains(w.Body.String(), `"scopes_supported":["read"]`) {
		t.Errorf("%s", w.Body)
	}
	_, err = tokens.Authenticate(httptest.NewRequest(http.MethodPost, resource, nil))
	if c, ok := errors.AsType[*mcphttp.ChallengeError](err); !ok || !strings.Contains(c.Header, `scope="read"`) {
		t.Errorf("%v", err)
	}
}

// The addresses that clients are told are those of the options, spelled in one way.
func TestAddresses(t *testing.T) {
	t.Attr("requirements", "auth-canonical")
	for _, x := range []struct{ audience, url, resource, metadata string }{
		{"https://h.example", "", "https://h.example", "https://h.example/.well-known/oauth-protected-resource"},
		{"HTTPS://H.example:443/a/mcp/", "", "https://h.example/a/mcp",
			"https://h.example/.well-known/oauth-protected-resource/a/mcp"},
		{"api://1", "https://h.example:8443/mcp", "https://h.example:8443/mcp",
			"https://h.example:8443/.well-known/oauth-protected-resource/mcp"},
		{"http://localhost:8080/mcp", "", "http://localhost:8080/mcp",
			"http://localhost:8080/.well-known/oauth-protected-resource/mcp"},
	} {
		r := newRig(t, auth.Options{Audience: x.audience, URL: x.url})
		w := httptest.NewRecorder()
		r.auth.Metadata().ServeHTTP(w, httptest.NewRequest(http.MethodGet, x.metadata, nil))
		var doc struct{ Resource string }
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.Resource != x.resource {
			t.Errorf("%s: resource %q, want %q", x.audience, doc.Resource, x.resource)
		}
		_, err := r.auth.Authenticate(httptest.NewRequest(http.MethodPost, "/mcp", nil))
		if c := challengeOf(t, err); !strings.Contains(c, `resource_metadata="`+x.metadata+`"`) {
			t.Errorf("%s: %s", x.audience, c)
		}
		for _, aud := range []string{x.audience, x.resource, x.resource + "/"} {
			w := r.call("whoami", "Host", "localhost", "Authorization", "Bearer "+valid(t, claims{"aud": []string{"x", aud}}))
			want(t, w, 200, "", "ann")
		}
		_ = r.srv.Close()
	}
}

// Options that would leave a door open, or shut for all, are errors that say what to write.
func TestOptions(t *testing.T) {
	t.Attr("requirements", "auth-servers auth-communication")
	ok := auth.Options{Issuer: issuerID, Audience: resource}
	for word, change := range map[string]func(*auth.Options){
		"Issuer is empty":        func(o *auth.Options) { o.Issuer = "" },
		"want https":             func(o *auth.Options) { o.Issuer = "http://login.example.com" },
		"localhost.evil":         func(o *auth.Options) { o.Issuer = "http://localhost.evil.example" },
		"127.0.0.1.evil":         func(o *auth.Options) { o.Issuer = "http://127.0.0.1.evil.example" },
		"user@":                  func(o *auth.Options) { o.Issuer = "https://user@login.example.com" },
		"?tenant=a":              func(o *auth.Options) { o.Issuer = issuerID + "?tenant=a" },
		"an issuer is \"login\"": func(o *auth.Options) { o.OtherIssuers = []string{"login"} },
		"Options.URL":            func(o *auth.Options) { o.Audience = "api://1" },
		"one issuer":             func(o *auth.Options) { o.Introspect, o.OtherIssuers = true, []string{otherID} },
		"ClientID":               func(o *auth.Options) { o.Introspect = true },
		"ClockSkew":              func(o *auth.Options) { o.ClockSkew = time.Hour },
		"no scope":               func(o *auth.Options) { o.Scopes = []string{`a"b`} },
		"between a client":       func(o *auth.Options) { o.Scopes = []string{"offline_access"} },
		"mcp?":                   func(o *auth.Options) { o.Audience = resource + "?" },
		"#x":                     func(o *auth.Options) { o.Audience = resource + "#x" },
	} {
		o := ok
		change(&o)
		if _, err := auth.New(o); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("want an error with %q: %v", word, err)
		}
	}
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	http.DefaultTransport = newIssuer() // a program may have wrapped it
	if _, err := auth.New(ok); err != nil {
		t.Error(err)
	}
}

// What a token says is what the handler sees.
func TestCallers(t *testing.T) {
	t.Attr("requirements", "auth-hierarchy")
	synctest.Test(t, func(t *testing.T) {
		other := "https://b.example"
		r := newRig(t, auth.Options{OtherIssuers: []string{other}, Implies: func(s string) []string {
			return map[string][]string{"all": {"vault", "half"}, "half": {"notes.read", "all"}}[s]
		}})
		defer r.srv.Close()
		for _, x := range []struct {
			changes claims
			want    string
		}{
			{nil, "ann scopes=[vault notes.read]"},
			{claims{"scope": nil, "scp": []string{"a", "b c"}}, "ann scopes=[a b c]"},
			{claims{"scope": []string{"a"}}, "ann scopes=[a]"},
			{claims{"scope": "all"}, "ann scopes=[all vault half notes.read]"},
			{claims{"roles": []string{"keeper"}}, "roles=[keeper]"},
			{claims{"exp": float64(time.Now().Unix()) + 300.5}, "ann"},
			{claims{"nbf": time.Now().Unix() + 20}, "ann"}, // the clock of the issuer is ahead
		} {
			want(t, r.call("whoami", "Authorization", "bearer "+valid(t, x.changes)), 200, "", x.want)
		}
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, claims{"sub": other + "#root"})), 401,
			"invalid_token", "")
		r.issuer.set("/.well-known/oauth-authorization-server", http.NotFound)
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, claims{"iss": other})), 503, "", "")
	})
}

// A call of a listed feature without its scopes gets 403 with all scopes of the operation, those that the caller has
// included; scopes that imply others count; hidden features stay hidden.
func TestStepUp(t *testing.T) {
	t.Attr("requirements", "auth-scope auth-scope-consistent auth-scope-users auth-status auth-insufficient "+
		"auth-insufficient-all auth-hierarchy auth-offline")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{Implies: func(s string) []string {
			if s == "notes.admin" {
				return []string{"notes.read"}
			}
			return nil
		}})
		defer r.srv.Close()
		for scopes, challenge := range map[string]string{
			"vault offline_access":            `scope="vault notes.read notes.write"`,
			"vault notes.read offline_access": `scope="vault notes.read notes.write"`,
			"notes.write":                     `scope="notes.write notes.read"`,
			strings.Repeat("x", 3000):         `scope="notes.read notes.write"`,
			"notes.admin":                     "",
			"notes.read notes.write":          "",
		} {
			w := r.call("note", "Authorization", "Bearer "+valid(t, claims{"scope": scopes}))
			if challenge == "" {
				want(t, w, 200, "", "result")
				continue
			}
			want(t, w, 403, challenge, "forbidden")
			want(t, w, 403, `Bearer error="insufficient_scope", error_description="`, "")
			want(t, w, 403, `resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`, "")
		}
		want(t, r.call("write", "Authorization", "Bearer "+valid(t, nil)), 200, "", "unknown tool")
	})
}

// A stream ends when its token does, and a new request of an old token is refused.
func TestTokenExpiresUnderStream(t *testing.T) {
	t.Attr("requirements", "auth-invalid auth-rotation")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text, start := valid(t, nil), time.Now()
		w := r.do("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "Authorization", "Bearer "+text)
		want(t, w, 200, "", `"id":1,"result":{`)
		if d := time.Since(start); d != 5*time.Minute {
			t.Errorf("the stream has lasted %v, the token 5 minutes", d)
		}
		want(t, r.call("whoami", "Authorization", "Bearer "+text), 401, "invalid_token", "")
	})
}

// A stream ends within a minute after the program, or the issuer, refuses its token.
func TestTokenRevokedUnderStream(t *testing.T) {
	var revoked atomic.Bool
	hook := func(_ context.Context, tok *auth.Token) (mcp.Caller, error) {
		if revoked.Load() {
			return mcp.Caller{}, errors.New("revoked")
		}
		return mcp.Caller{Subject: tok.Subject, Scopes: tok.Scopes}, nil
	}
	for name, o := range map[string]auth.Options{
		"hook":          {Caller: hook},
		"introspection": {Introspect: true, ClientID: "server", ClientSecret: "s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				revoked.Store(false)
				r := newRig(t, o)
				defer r.srv.Close()
				r.issuer.set("/introspect", func(w http.ResponseWriter, _ *http.Request) {
					c := token(nil)
					c["active"] = !revoked.Load()
					_ = json.NewEncoder(w).Encode(c)
				})
				text := valid(t, claims{"exp": time.Now().Unix() + 36000})
				want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")
				start := time.Now()
				time.AfterFunc(100*time.Second, func() { revoked.Store(true) })
				w := r.do("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "Authorization", "Bearer "+text)
				want(t, w, 200, "", "")
				if d := time.Since(start) - 100*time.Second; d < 0 || d > time.Minute {
					t.Errorf("the stream ended %v after the token was revoked", d)
				}
				want(t, r.call("whoami", "Authorization", "Bearer "+text), 401, "invalid_token", "")
			})
		})
	}
}

func challengeOf(t testing.TB, err error) string {
	t.Helper()
	w := httptest.NewRecorder()
	c, ok := errors.AsType[*challengeError](err)
	if !ok {
		t.Fatalf("%v is no challenge", err)
	}
	w.Header().Set("WWW-Authenticate", c.Header)
	return c.Header
}
