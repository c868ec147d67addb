package auth_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

type challengeError = mcphttp.ChallengeError

// answers are what an issuer says about a token, and what becomes of the request.
func TestIntrospection(t *testing.T) {
	now := int64(946684800) // of synctest
	ok := claims{"active": true, "aud": resource, "sub": "ann", "scope": "vault", "exp": now + 60}
	for name, x := range map[string]struct {
		change claims
		status int
	}{
		"active":           {nil, 200},
		"without exp":      {claims{"exp": nil}, 200},
		"with its issuer":  {claims{"iss": issuerID}, 200},
		"inactive":         {claims{"active": false}, 401},
		"active as a text": {claims{"active": "true"}, 401},
		"nothing":          {claims{"active": nil}, 401},
		"expired":          {claims{"exp": now - 1}, 401},
		"other audience":   {claims{"aud": "https://other.example"}, 401},
		"no audience":      {claims{"aud": nil}, 401},
		"other issuer":     {claims{"iss": "https://evil.example"}, 401},
		"of a client":      {claims{"sub": nil, "client_id": "robot"}, 200},
		"like a client":    {claims{"sub": "client#robot"}, 401},
		"no subject":       {claims{"sub": nil}, 401},
		"bound":            {claims{"cnf": map[string]any{"jkt": "x"}}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, auth.Options{Introspect: true, ClientID: "the server", ClientSecret: "s&s"})
				defer r.srv.Close()
				r.issuer.set("/introspect", func(w http.ResponseWriter, req *http.Request) {
					user, pass, _ := req.BasicAuth()
					if user != url.QueryEscape("the server") || pass != url.QueryEscape("s&s") || req.FormValue("token") != "opaque" {
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					_ = json.NewEncoder(w).Encode(changed(ok, x.change))
				})
				for range 3 {
					if w := r.call("whoami", "Authorization", "Bearer opaque"); w.Code != x.status {
						t.Errorf("%d %s, want %d", w.Code, w.Body, x.status)
					}
				}
				if n := r.issuer.count("/introspect"); x.status == 200 && n != 1 {
					t.Errorf("%d questions about one token", n)
				}
				time.Sleep(24 * time.Second)
				r.call("whoami", "Authorization", "Bearer opaque")
				time.Sleep(2 * time.Second)
				r.call("whoami", "Authorization", "Bearer opaque")
				if n := r.issuer.count("/introspect"); x.status == 200 && n != 2 {
					t.Errorf("%d questions about one token in 26 seconds", n)
				}
				if strings.Contains(r.log.String(), "opaque") {
					t.Errorf("the log has the token: %s", r.log)
				}
			})
		})
	}
}

// changed returns claims with changes; nil removes one.
func changed(c, changes claims) claims {
	c = maps.Clone(c)
	for k, v := range changes {
		if c[k] = v; v == nil {
			delete(c, k)
		}
	}
	return c
}

// An issuer that does not answer keeps nobody longer than five seconds, and has few requests at a time.
func TestSlowIntrospection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		var running, most atomic.Int32
		r.issuer.set("/introspect", func(w http.ResponseWriter, req *http.Request) {
			n := running.Add(1)
			defer running.Add(-1)
			if n > most.Load() {
				most.Store(n)
			}
			slow(w, req)
		})
		start := time.Now()
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() { want(t, r.call("whoami", "Authorization", "Bearer opaque"), 503, "", "") })
		}
		all.Wait()
		if d := time.Since(start); d > 6*time.Second {
			t.Errorf("requests have waited %v", d)
		}
		if n := most.Load(); n > 32 {
			t.Errorf("%d requests at a time", n)
		}
	})
}

// A handler gets a token for another service in the name of its caller. It does not see that of the caller, and
// neither does a log.
func TestExchange(t *testing.T) {
	t.Attr("requirements", "auth-passthrough auth-third-party ask-third-party")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		text := valid(t, nil)
		status := http.StatusOK
		r.issuer.set("/token", func(w http.ResponseWriter, req *http.Request) {
			w.WriteHeader(status)
			if status != http.StatusOK {
				_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_target",
					"error_description": req.FormValue("subject_token")})
				return
			}
			if req.FormValue("subject_token") != text || req.FormValue("audience") != "https://mail.example.com" ||
				req.FormValue("scope") != "read send" ||
				req.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange" {
				t.Errorf("the issuer was asked for %v", req.Form)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "upstream", "token_type": "Bearer", "expires_in": 120,
				"scope": "read", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"})
		})
		var got auth.Exchanged
		var err error
		r.called = func(c *mcp.Call) {
			got, err = auth.Exchange(c, "https://mail.example.com", []string{"read", "send"})
		}
		for range 3 {
			want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")
			if err != nil || got.Token != "upstream" || len(got.Scopes) != 1 || time.Until(got.Expires) != 2*time.Minute {
				t.Fatalf("%v %v", got, err)
			}
		}
		if n := r.issuer.count("/token"); n != 1 {
			t.Errorf("%d exchanges, want 1", n)
		}
		kept := got
		time.Sleep(100 * time.Second) // until it is about to expire
		status = http.StatusBadRequest
		r.call("whoami", "Authorization", "Bearer "+text)
		if err == nil || !strings.Contains(err.Error(), "invalid_target") || strings.Contains(err.Error(), text) {
			t.Errorf("error %v", err)
		}
		if _, err := auth.Exchange(t.Context(), "x", nil); err == nil {
			t.Error("no error without a token")
		}
		text2, _ := json.Marshal(kept)
		if s := kept.String() + string(text2) + r.log.String(); strings.Contains(s, "upstream") || strings.Contains(s, text) {
			t.Errorf("a text has a token: %s", s)
		}
	})
}

// A token that ends while its handler runs is not exchanged any more.
func TestExchangeAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		var err error
		r.called = func(c *mcp.Call) {
			time.Sleep(6 * time.Minute)
			_, err = auth.Exchange(c, "https://mail.example.com", nil)
		}
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann") // it was let in
		if err == nil || !strings.Contains(err.Error(), "expired") || r.issuer.count("/token") > 0 {
			t.Errorf("error %v", err)
		}
	})
}
