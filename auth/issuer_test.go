package auth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/auth"
)

// The metadata of an issuer with a path is found at each of the places where it may be, and nowhere else.
func TestDiscovery(t *testing.T) {
	for place, status := range map[string]int{
		"/.well-known/oauth-authorization-server/tenant": 200,
		"/tenant/.well-known/openid-configuration":       200,
		"/.well-known/openid-configuration/tenant":       200,
		"/.well-known/oauth-authorization-server":        503, // of another issuer of the host
		"/.well-known/openid-configuration":              503,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, auth.Options{OtherIssuers: []string{otherID}})
			defer r.srv.Close()
			r.issuer.set("/tenant/.well-known/openid-configuration", http.NotFound)
			r.issuer.set(place, func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]any{"issuer": otherID, "jwks_uri": otherID + "/jwks"})
			})
			text := sign(t, jose.ES256, ecOther, "other", token(claims{"iss": otherID}))
			if w := r.call("whoami", "Authorization", "Bearer "+text); w.Code != status {
				t.Errorf("%s: %d, want %d", place, w.Code, status)
			}
		})
	}
}

// Keys are fetched again after ten minutes, and no request waits for that.
func TestKeysAreFetchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann")
		r.issuer.set("/jwks", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(2 * time.Second)
			writeKeys(w, jwk(ecKey.Public(), "ec", ""))
		})
		time.Sleep(10*time.Minute - time.Second)
		for range 2 {
			start := time.Now()
			want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, claims{"jti": start.Unix()})), 200, "", "ann")
			if d := time.Since(start); d > 0 {
				t.Errorf("a request has waited %v", d)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Second)
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 401, "invalid_token", "")
		if n := r.issuer.count("/jwks"); n != 2 {
			t.Errorf("%d requests for keys, want 2", n)
		}
	})
}

// A token with a new key, of an issuer that is away, is not refused: nobody knows whether it is valid.
func TestNewKeyWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann")
		r.issuer.set("/jwks", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		time.Sleep(time.Minute)
		text := sign(t, jose.ES256, ecOther, "new", token(nil))
		for range 2 {
			w := r.call("whoami", "Authorization", "Bearer "+text)
			want(t, w, 503, "", "")
			if w.Header().Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann")
	})
}

// The document names all issuers.
func TestDocumentOfIssuers(t *testing.T) {
	r := newRig(t, auth.Options{OtherIssuers: []string{otherID}})
	defer r.srv.Close()
	w := httptest.NewRecorder()
	r.auth.Metadata().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/oauth-protected-resource", nil))
	if want := `"authorization_servers":["` + issuerID + `","` + otherID + `"]`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("%s, want %s", w.Body, want)
	}
}
