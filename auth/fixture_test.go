package auth_test

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/golden/vault"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

const (
	issuerID = "https://login.example.com"
	resource = "https://mcp.example.com/mcp"
	otherID  = "https://b.example/tenant" // of an issuer whose only key is ecOther, as other
)

// Keys of all tests, made once.
var (
	rsaKey, rsaOther     = newRSA(2048), newRSA(2048)
	rsaWeak              = newRSA(1024)
	ecKey, ecOther       = newEC(), newEC()
	_, edKey, edKeyError = ed25519.GenerateKey(rand.Reader)
)

func newRSA(bits int) *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return k
}

func newEC() *ecdsa.PrivateKey {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return k
}

// claims are those of a token.
type claims map[string]any

// token is a valid set of claims, with changes; nil removes one.
func token(changes claims) claims {
	now := time.Now().Unix()
	return changed(claims{"iss": issuerID, "aud": resource, "sub": "ann", "client_id": "app", "iat": now, "exp": now + 300,
		"scope": "vault notes.read"}, changes)
}

// sign signs claims as a JWT. The header has typ at+jwt and kid, unless it says otherwise.
func sign(t testing.TB, alg jose.SignatureAlgorithm, k any, kid string, c claims, header ...any) string {
	t.Helper()
	opts := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", kid)
	for i := 0; i < len(header); i += 2 {
		opts.WithHeader(jose.HeaderKey(header[i].(string)), header[i+1])
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: k}, opts)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// valid is a valid token, with changes.
func valid(t testing.TB, changes claims) string {
	t.Helper()
	return sign(t, jose.RS256, rsaKey, "rsa", token(changes))
}

// issuer is an authorization server without a network. It is the transport of the client that asks it.
type issuer struct {
	mu   sync.Mutex
	hits map[string]int              // by path
	at   map[string]http.HandlerFunc // by path
}

func newIssuer() *issuer {
	i := &issuer{hits: make(map[string]int)}
	i.at = map[string]http.HandlerFunc{
		"/.well-known/oauth-authorization-server": func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuerID, "jwks_uri": issuerID + "/jwks",
				"introspection_endpoint": issuerID + "/introspect", "token_endpoint": issuerID + "/token"})
		},
		"/jwks": func(w http.ResponseWriter, _ *http.Request) { writeKeys(w, publicKeys()...) },
		"/tenant/.well-known/openid-configuration": func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": otherID, "jwks_uri": otherID + "/jwks"})
		},
		"/tenant/jwks": func(w http.ResponseWriter, _ *http.Request) { writeKeys(w, jwk(ecOther.Public(), "other", "")) },
	}
	return i
}

// publicKeys are the keys of the issuer, between some that nobody can use.
func publicKeys() []any {
	return []any{
		map[string]any{"kty": "XYZ", "kid": "strange"},
		jwk(rsaWeak.Public(), "weak", "RS256"),
		jose.JSONWebKey{Key: rsaOther.Public(), KeyID: "secrets", Use: "enc"},
		jwk(rsaKey.Public(), "rsa", "RS256"),
		jwk(ecKey.Public(), "ec", ""),
		jwk(edKey.Public(), "ed", "EdDSA"),
	}
}

func jwk(k crypto.PublicKey, kid, alg string) jose.JSONWebKey {
	return jose.JSONWebKey{Key: k, KeyID: kid, Algorithm: alg, Use: "sig"}
}

func writeKeys(w io.Writer, keys ...any) { _ = json.NewEncoder(w).Encode(map[string]any{"keys": keys}) }

// set replaces what is at a path.
func (i *issuer) set(path string, h http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at[path] = h
}

func (i *issuer) count(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.hits[path]
}

// RoundTrip implements http.RoundTripper.
func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	i.hits[r.URL.Path]++
	h := i.at[r.URL.Path]
	i.mu.Unlock()
	if from := r.URL.Scheme + "://" + r.URL.Host; from != issuerID && !strings.HasPrefix(otherID, from+"/") {
		return nil, fmt.Errorf("a request to %s", r.URL.Host)
	}
	if h == nil {
		h = http.NotFound
	}
	w := httptest.NewRecorder()
	h(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// slow answers nothing until the client has enough of it.
func slow(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// rig is a server that takes tokens of an issuer.
type rig struct {
	issuer *issuer
	auth   *auth.ResourceServer
	srv    *vault.VaultServer
	http   http.Handler
	log    *bytes.Buffer
	called func(c *mcp.Call) // by the tool whoami; nil for nothing
}

// newRig returns a rig. Close it.
func newRig(t testing.TB, o auth.Options) *rig {
	t.Helper()
	r := &rig{issuer: newIssuer(), log: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(&locked{w: r.log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Issuer, o.HTTPClient, o.Logger = issuerID, &http.Client{Transport: r.issuer}, cmp.Or(o.Logger, log)
	if o.Audience == "" {
		o.Audience = resource
	}
	var err error
	if r.auth, err = auth.New(o); err != nil {
		t.Fatal(err)
	}
	r.srv, err = vault.NewVaultServer(vault.VaultImpl{Vault: new(vault.Vault), Middleware: new(vault.Tracer)},
		&mcp.Options{Logger: log, Audit: log})
	if err != nil {
		t.Fatal(err)
	}
	r.addTools(t)
	opts := &mcphttp.Options{Logger: log}
	r.auth.Secure(r.srv, opts)
	if r.http, err = mcphttp.Handler(r.srv, opts); err != nil {
		t.Fatal(err)
	}
	return r
}

// addTools adds a tool for everybody, and one that is listed for everybody and needs scopes.
func (r *rig) addTools(t testing.TB) {
	for name, access := range map[string]mcp.Access{
		"whoami": {},
		"note":   {Scopes: []string{"notes.read"}, AnyScope: [][]string{{"notes.write", "notes.admin"}}, Shown: true},
	} {
		err := r.srv.AddTool(mcp.DynamicTool{Name: name, Access: access,
			Call: func(c *mcp.Call, _ json.RawMessage) (mcp.ToolResult, error) {
				if r.called != nil {
					r.called(c)
				}
				who := c.Caller()
				return mcp.ToolText(fmt.Sprintf("%s scopes=%v roles=%v", who.Subject, who.Scopes, who.Roles)), nil
			}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// locked is a writer for several goroutines.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// call calls a tool with a header for the token.
func (r *rig) call(tool string, headers ...string) *httptest.ResponseRecorder {
	return r.do("tools/call", tool, `"name":"`+tool+`"`, headers...)
}

// do makes a request of 2026-07-28.
func (r *rig) do(method, name, params string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, request(method, name, params, headers...))
	return w
}

// request is a request of 2026-07-28. Among the headers are its query, its Host, and the address that it comes from.
func request(method, name, params string, headers ...string) *http.Request {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	req := httptest.NewRequest(http.MethodPost, resource, strings.NewReader(body))
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name}}
	if name == "" {
		h.Del("Mcp-Name")
	}
	maps.Copy(req.Header, h)
	for i := 0; i < len(headers); i += 2 {
		switch headers[i] {
		case "query":
			req.URL.RawQuery = headers[i+1]
		case "Host":
			req.Host = headers[i+1]
		case "remote":
			req.RemoteAddr = headers[i+1]
		default:
			req.Header.Add(headers[i], headers[i+1])
		}
	}
	return req
}

// want fails unless a response has a status, and its challenge and its body the texts.
func want(t testing.TB, w *httptest.ResponseRecorder, status int, challenge, body string) {
	t.Helper()
	got := w.Header().Get("WWW-Authenticate")
	if w.Code != status || !strings.Contains(got, challenge) || (challenge == "") != (got == "") ||
		!strings.Contains(w.Body.String(), body) {
		t.Errorf("%d %q %s, want %d %q %s", w.Code, got, w.Body, status, challenge, body)
	}
}
