package auth_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/auth"
)

// attacks are tokens that must not open the door: what each is, and the word of the log that says why.
var attacks = []struct {
	name, log string
	token     func(t testing.TB) string
}{
	{"wrong audience", "audience", func(t testing.TB) string {
		return valid(t, claims{"aud": "https://other.example.com/mcp"})
	}},
	{"audience that only begins alike", "audience", func(t testing.TB) string {
		return valid(t, claims{"aud": resource + ".evil.example"})
	}},
	{"audience of the origin", "audience", func(t testing.TB) string {
		return valid(t, claims{"aud": "https://mcp.example.com"})
	}},
	{"audience with another path", "audience", func(t testing.TB) string {
		return valid(t, claims{"aud": "https://mcp.example.com/MCP"})
	}},
	{"no audience", "audience", func(t testing.TB) string { return valid(t, claims{"aud": nil}) }},
	{"token of another service, passed on (confused deputy)", "audience", func(t testing.TB) string {
		return valid(t, claims{"aud": []string{"https://mail.example.com", "https://files.example.com"}})
	}},
	{"wrong issuer", "issuer", func(t testing.TB) string { return valid(t, claims{"iss": "https://evil.example"}) }},
	{"issuer with a slash", "issuer", func(t testing.TB) string { return valid(t, claims{"iss": issuerID + "/"}) }},
	{"no issuer", "issuer", func(t testing.TB) string { return valid(t, claims{"iss": nil}) }},
	{"issuer in capitals beside", "issuer", func(t testing.TB) string {
		return valid(t, claims{"iss": nil, "ISS": issuerID})
	}},
	{"no subject", "sub", func(t testing.TB) string { return valid(t, claims{"sub": nil}) }},
	{"expired", "expired", func(t testing.TB) string { return valid(t, claims{"exp": time.Now().Unix()}) }},
	{"no exp", "exp", func(t testing.TB) string { return valid(t, claims{"exp": nil}) }},
	{"exp that is a text", "exp", func(t testing.TB) string { return valid(t, claims{"exp": "never"}) }},
	{"exp beyond all times", "exp", func(t testing.TB) string { return valid(t, claims{"exp": 1e300}) }},
	{"not yet valid", "future", func(t testing.TB) string { return valid(t, claims{"nbf": time.Now().Unix() + 60}) }},
	{"issued in the future", "future", func(t testing.TB) string {
		return valid(t, claims{"iat": time.Now().Unix() + 60})
	}},
	{"ID token", "typ", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaKey, "rsa", token(nil), "typ", "id_token+jwt")
	}},
	{"proof as a token", "typ", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaKey, "rsa", token(nil), "typ", "dpop+jwt")
	}},
	{"key of another", "signature", func(t testing.TB) string { return sign(t, jose.RS256, rsaOther, "rsa", token(nil)) }},
	{"weak key of the issuer", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaWeak, "weak", token(nil))
	}},
	{"key of the issuer for secrets", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaOther, "secrets", token(nil))
	}},
	{"algorithm that the key is not for", "signature", func(t testing.TB) string {
		return sign(t, jose.RS512, rsaKey, "rsa", token(nil))
	}},
	{"kid of a key of another kind", "signature", func(t testing.TB) string {
		return sign(t, jose.ES256, ecOther, "rsa", token(nil))
	}},
	{"kid that is a path", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaOther, "../../dev/null", token(nil))
	}},
	{"kid that is SQL", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaOther, "' OR 1=1 --\n", token(nil))
	}},
	{"key in the header", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaOther, "mine", token(nil), "jwk", jwk(rsaOther.Public(), "mine", "RS256"))
	}},
	{"address of keys in the header", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaOther, "mine", token(nil), "jku", "https://evil.example/jwks",
			"x5u", "https://evil.example/c")
	}},
	{"header that must be understood", "signature", func(t testing.TB) string {
		return sign(t, jose.RS256, rsaKey, "rsa", token(nil), "crit", []string{"exp"})
	}},
	{"alg none", "JWT", unsigned("none")},
	{"alg None", "JWT", unsigned("None")},
	{"no alg", "JWT", unsigned("")},
	{"HS256 with the public key", "JWT", func(t testing.TB) string {
		return sign(t, jose.HS256, publicPEM(t, &rsaKey.PublicKey), "rsa", token(nil))
	}},
	{"HS256 with the text of the JWKS", "JWT", func(t testing.TB) string {
		text, err := json.Marshal(jwk(rsaKey.Public(), "rsa", "RS256"))
		if err != nil {
			t.Fatal(err)
		}
		return sign(t, jose.HS256, text, "rsa", token(nil))
	}},
	{"signature of another token", "signature", func(t testing.TB) string {
		a, b := strings.Split(valid(t, claims{"sub": "root"}), "."), strings.Split(valid(t, nil), ".")
		return a[0] + "." + a[1] + "." + b[2]
	}},
	{"no signature", "signature", func(t testing.TB) string {
		return strings.Join(strings.Split(valid(t, nil), ".")[:2], ".") + "."
	}},
	{"rubbish", "JWT", func(testing.TB) string { return "rubbish" }},
	{"a hundred dots", "JWT", func(testing.TB) string { return strings.Repeat("a.", 100) }},
	{"too long", "bytes", func(testing.TB) string { return strings.Repeat("a", 17<<10) }},
	{"bound to a key, without a proof", "bound", func(t testing.TB) string {
		return valid(t, claims{"cnf": map[string]any{"jkt": "x"}})
	}},
	{"bound to a certificate", "bound", func(t testing.TB) string {
		return valid(t, claims{"cnf": map[string]any{"x5t#S256": "x"}})
	}},
	{"bound to nothing that is known", "bound", func(t testing.TB) string { return valid(t, claims{"cnf": "?"}) }},
}

// unsigned returns a token without a signature.
func unsigned(alg string) func(t testing.TB) string {
	return func(t testing.TB) string {
		payload, err := json.Marshal(token(nil))
		if err != nil {
			t.Fatal(err)
		}
		head := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"alg":%q,"typ":"at+jwt"}`, alg))
		return head + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
	}
}

func publicPEM(t testing.TB, k *rsa.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Each attack is refused with 401, the log says why, and no token is in a log, an audit record or a response.
func TestAttacks(t *testing.T) {
	t.Attr("requirements", "practice-foreign practice-verify")
	t.Attr("requirements", "auth-challenge auth-validate auth-audience auth-foreign auth-invalid auth-storage "+
		"auth-canonical auth-unauthorized")
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, auth.Options{})
				defer r.srv.Close()
				text := a.token(t)
				for range 2 { // a verdict that is remembered is the same
					w := r.call("whoami", "Authorization", "Bearer "+text)
					want(t, w, 401, `invalid_token`, "not authenticated")
					if strings.Contains(w.Body.String()+w.Header().Get("WWW-Authenticate"), text) {
						t.Error("the response has the token")
					}
				}
				log := r.log.String()
				if !strings.Contains(log, a.log) {
					t.Errorf("the log does not say %q: %s", a.log, log)
				}
				if parts := strings.Split(text, "."); strings.Contains(log, text) ||
					len(parts) > 1 && len(parts[1]) > 8 && strings.Contains(log, parts[1]) {
					t.Errorf("the log has the token: %s", log)
				}
				want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann scopes=[vault notes.read]")
			})
		})
	}
}

// requests are malformed, or bring a token where it may not be.
func TestMalformedRequests(t *testing.T) {
	t.Attr("requirements", "auth-scope auth-query auth-status")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := valid(t, nil)
		for _, x := range []struct {
			name, challenge string
			status          int
			headers         []string
		}{
			{"in the query", `error="invalid_request"`, 400, []string{"query", "access_token=" + text}},
			{"in the query too", `error="invalid_request"`, 400, []string{"query", "a=b&access_token=" + text,
				"Authorization", "Bearer " + text}},
			{"in the query, escaped", `error="invalid_request"`, 400, []string{"query", "access%5Ftoken=" + text}},
			{"two headers", `error="invalid_request"`, 400, []string{"Authorization", "Bearer " + text,
				"Authorization", "Bearer " + text}},
			{"nothing", `Bearer resource_metadata="`, 401, nil},
			{"another scheme", `Bearer resource_metadata="`, 401, []string{"Authorization", "Basic YTpi"}},
			{"no token", `error="invalid_token"`, 401, []string{"Authorization", "Bearer"}},
			{"characters", `error="invalid_token"`, 401, []string{"Authorization", "Bearer a b"}},
		} {
			w := r.call("whoami", x.headers...)
			want(t, w, x.status, x.challenge, "")
		}
		if strings.Contains(r.log.String(), text) {
			t.Errorf("the log has the token: %s", r.log)
		}
	})
}

// Ten thousand tokens with keys that nobody knows cause two requests to the issuer, and no caller of another token
// waits.
func TestUnknownKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		honest := "Bearer " + valid(t, nil)
		want(t, r.call("whoami", "Authorization", honest), 200, "", "ann")
		time.Sleep(6 * time.Second)
		start := time.Now()
		for i := range 10_000 {
			stranger := sign(t, jose.ES256, ecOther, fmt.Sprintf("kid-%d", i), token(nil))
			want(t, r.call("whoami", "Authorization", "Bearer "+stranger), 401, "invalid_token", "")
			if i%1000 == 0 {
				want(t, r.call("whoami", "Authorization", honest), 200, "", "ann")
			}
		}
		if n := r.issuer.count("/jwks"); n > 2 || time.Since(start) > 0 {
			t.Errorf("%d requests for keys, after %v", n, time.Since(start))
		}
	})
}

// troubles are issuers that do not do what they should. Callers get 503, never a result; the log says why, and nobody
// waits for more than five seconds, or for more than one after another has waited so long.
var troubles = []struct {
	name, log string
	path      string
	h         http.HandlerFunc
}{
	{"dead", "status 404", "/.well-known/oauth-authorization-server", http.NotFound},
	{"slow", "takes too long", "/jwks", slow},
	{"slow metadata", "takes too long", "/.well-known/oauth-authorization-server", slow},
	{"failing", "status 500", "/jwks", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}},
	{"redirecting", "status 302", "/jwks", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://evil.example/jwks", http.StatusFound)
	}},
	{"lying about its name", "https://evil.example", "/.well-known/oauth-authorization-server",
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"issuer":"https://evil.example","jwks_uri":"`+issuerID+`/jwks"}`)
		}},
	{"lying about where its keys are", "want https", "/.well-known/oauth-authorization-server",
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"issuer":"`+issuerID+`","jwks_uri":"http://evil.example/jwks"}`)
		}},
	{"sending us to this machine", "want https, as for the issuer", "/.well-known/oauth-authorization-server",
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"issuer":"`+issuerID+`","jwks_uri":"http://localhost:6379/jwks"}`)
		}},
	{"without keys", "no key", "/jwks", func(w http.ResponseWriter, _ *http.Request) { writeKeys(w) }},
	{"with secret keys only", "no key", "/jwks", func(w http.ResponseWriter, _ *http.Request) {
		writeKeys(w, map[string]any{"kty": "oct", "kid": "rsa", "k": "c2VjcmV0"}, jwk(rsaKey, "rsa", "RS256"))
	}},
	{"sending rubbish", "JSON", "/jwks", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>")
	}},
	{"sending 50 MB", "more than", "/jwks", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"keys":[`+strings.Repeat(" ", 50<<20))
	}},
	{"panicking transport", "panic", "/jwks", func(http.ResponseWriter, *http.Request) { panic("no") }},
}

func TestTroubledIssuers(t *testing.T) {
	for _, x := range troubles {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, auth.Options{})
				defer r.srv.Close()
				good := r.issuer.at[x.path]
				r.issuer.set(x.path, x.h)
				text := valid(t, nil)
				for _, most := range []time.Duration{5 * time.Second, time.Second, time.Second} {
					start := time.Now()
					want(t, r.call("whoami", "Authorization", "Bearer "+text), 503, "", "could not be found out")
					if d := time.Since(start); d > most {
						t.Errorf("a request has waited %v", d)
					}
				}
				if log := r.log.String(); !strings.Contains(log, x.log) || strings.Contains(log, text) {
					t.Errorf("the log does not say %q, or has the token: %s", x.log, log)
				}
				r.issuer.set(x.path, good)
				time.Sleep(10 * time.Second)
				want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")

				// Once the keys are known, they are used while the issuer is away, for what they can verify.
				r.issuer.set(x.path, x.h)
				time.Sleep(time.Hour)
				for _, most := range []time.Duration{5 * time.Second, 0} { // it is known to be away from the first on
					start := time.Now()
					want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann")
					if d := time.Since(start); d > most {
						t.Errorf("a request with a known key has waited %v", d)
					}
				}
				time.Sleep(24 * time.Hour)
				want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 503, "", "")
				synctest.Wait()
			})
		})
	}
}

// A new key is used as soon as there is a token of it; one that is gone is not used any more.
func TestKeysRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		for _, x := range []struct {
			alg jose.SignatureAlgorithm
			key any
			kid string
		}{{jose.RS256, rsaKey, "rsa"}, {jose.ES256, ecKey, "ec"}, {jose.EdDSA, edKey, "ed"}, {jose.ES256, ecKey, ""}} {
			want(t, r.call("whoami", "Authorization", "Bearer "+sign(t, x.alg, x.key, x.kid, token(nil))), 200, "", "ann")
		}
		time.Sleep(time.Minute)
		r.issuer.set("/jwks", func(w http.ResponseWriter, _ *http.Request) {
			writeKeys(w, jwk(ecOther.Public(), "new", "ES256"))
		})
		want(t, r.call("whoami", "Authorization", "Bearer "+sign(t, jose.ES256, ecOther, "new", token(nil))), 200, "", "ann")
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 401, "invalid_token", "")
		if n := r.issuer.count("/jwks"); n != 2 {
			t.Errorf("%d requests for keys, want 2", n)
		}
	})
	if edKeyError != nil {
		t.Fatal(errors.Unwrap(edKeyError))
	}
}
