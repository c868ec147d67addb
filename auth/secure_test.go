package auth_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Secure keeps what the program has set, and lets pages send proofs; Attach adds the document to the routes.
func TestSecure(t *testing.T) {
	r := newRig(t, auth.Options{})
	defer r.srv.Close()
	c := mcphttp.AddFlags(flag.NewFlagSet("", flag.ContinueOnError))
	c.Options = mcphttp.Options{AllowedHosts: []string{"a.example"}, AllowedHeaders: []string{"X-A"},
		AllowedOrigins: []string{"https://app.example"}, Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("X-Inner", "yes")
				next.ServeHTTP(w, req)
			})
		}}
	r.auth.Attach(r.srv, c)
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/"} {
		w := httptest.NewRecorder()
		c.Routes[path].ServeHTTP(w, httptest.NewRequest(http.MethodGet, strings.TrimSuffix(path, "/")+"/mcp", nil))
		want(t, w, 200, "", resource)
	}
	h, err := mcphttp.Handler(r.srv, &c.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"a.example", "mcp.example.com"} {
		req := httptest.NewRequest(http.MethodOptions, "https://"+host+"/mcp", nil)
		for name, value := range map[string]string{"Origin": "https://app.example", "Access-Control-Request-Method": "POST",
			"Access-Control-Request-Headers": "authorization,dpop,x-a"} {
			req.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		allowed := strings.ToLower(w.Header().Get("Access-Control-Allow-Headers"))
		if w.Code != http.StatusNoContent || !strings.Contains(allowed, "dpop") || !strings.Contains(allowed, "x-a") {
			t.Errorf("%s: %d, allowed headers %s", host, w.Code, allowed)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, resource, nil))
	if w.Code != http.StatusUnauthorized || w.Header().Get("X-Inner") != "yes" {
		t.Errorf("%d, and the middleware of the program is lost", w.Code)
	}
}

// The first challenge asks for the scopes without which features are hidden, and not for all, unless the options say
// something else.
func TestFirstScopes(t *testing.T) {
	for scope, o := range map[string]auth.Options{
		`scope="vault vault.audit vault.write"`: {},
		`scope="a b"`:                           {Scopes: []string{"a", "b"}},
	} {
		r := newRig(t, o)
		w := r.call("whoami")
		want(t, w, 401, scope, "")
		want(t, w, 401, `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`, "")
		want(t, r.call("whoami", "Authorization", "Bearer x"), 401, scope, "")
		_ = r.srv.Close()
	}
}

// All spellings of the type of an access token count, and a token without one.
func TestTokenTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		for _, typ := range []any{"at+jwt", "AT+JWT", "application/at+jwt", "JWT", "jwt", ""} {
			text := sign(t, jose.RS256, rsaKey, "rsa", token(nil), "typ", typ)
			want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")
		}
	})
}

// A token that ends while its result is remembered is refused at its end.
func TestRememberedTokenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := valid(t, claims{"exp": time.Now().Unix() + 10})
		want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")
		time.Sleep(9 * time.Second)
		want(t, r.call("whoami", "Authorization", "Bearer "+text), 200, "", "ann")
		time.Sleep(time.Second)
		want(t, r.call("whoami", "Authorization", "Bearer "+text), 401, "invalid_token", "")
	})
}

// Results of many tokens are not kept: the first one is asked about again.
func TestManyTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		r.issuer.set("/introspect", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"active":true,"sub":"ann","aud":%q}`, resource)
		})
		const most = 20_001
		for i := range most {
			r.authenticate(t, fmt.Sprint("token", i))
		}
		r.authenticate(t, fmt.Sprint("token", most-1))
		if n := r.issuer.count("/introspect"); n != most {
			t.Errorf("%d questions about %d tokens", n, most)
		}
		r.authenticate(t, "token0")
		if n := r.issuer.count("/introspect"); n != most+1 {
			t.Errorf("%d tokens are remembered", most)
		}
	})
}

func (r *rig) authenticate(t testing.TB, token string) mcp.Caller {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, resource, nil)
	req.Header.Set("Authorization", "Bearer "+token)
	who, err := r.auth.Authenticate(req)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// A second issuer speaks of its own users only, and its keys count for its own tokens only.
func TestSecondIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{OtherIssuers: []string{otherID}})
		defer r.srv.Close()
		theirs := func(key any, changes claims) string {
			return "Bearer " + sign(t, jose.ES256, key, "other", token(changed(claims{"iss": otherID}, changes)))
		}
		want(t, r.call("whoami", "Authorization", theirs(ecOther, nil)), 200, "", otherID+"#ann scopes=[vault notes.read]")
		for _, text := range []string{
			theirs(ecKey, nil), // the key of the first issuer
			theirs(ecOther, claims{"iss": issuerID}),
			"Bearer " + valid(t, claims{"sub": otherID + "#ann"}),
			"Bearer " + valid(t, claims{"iss": otherID}),
		} {
			want(t, r.call("whoami", "Authorization", text), 401, "invalid_token", "")
		}
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", `"ann scopes`)
	})
}

// A caller ends no later than its token, whatever the hook says, and sooner if the hook says so.
func TestCallerExpires(t *testing.T) {
	for name, x := range map[string]struct{ says, lasts time.Duration }{
		"nothing": {0, 310 * time.Second}, "later": {time.Hour, 310 * time.Second}, "sooner": {time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r := newRig(t, auth.Options{Caller: func(_ context.Context, tok *auth.Token) (mcp.Caller, error) {
					who := mcp.Caller{Subject: tok.Subject}
					if x.says > 0 {
						who.Expires = start.Add(x.says)
					}
					return who, nil
				}})
				defer r.srv.Close()
				w := r.do("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`,
					"Authorization", "Bearer "+valid(t, claims{"exp": start.Unix() + 310}))
				want(t, w, 200, "", "")
				if d := time.Since(start); d != x.lasts {
					t.Errorf("the stream has lasted %v, want %v", d, x.lasts)
				}
			})
		})
	}
}

// An error of the hook refuses the token, with a challenge of its own if it has one.
func TestCallerRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		r := newRig(t, auth.Options{Caller: func(context.Context, *auth.Token) (mcp.Caller, error) {
			return mcp.Caller{Subject: "ann"}, err
		}})
		defer r.srv.Close()
		err = errors.New("not of this department")
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 401, "invalid_token", "")
		if !strings.Contains(r.log.String(), "not of this department") {
			t.Errorf("the log does not say why: %s", r.log)
		}
		err = fmt.Errorf("mine: %w", &challengeError{Status: 403, Header: `Bearer error="mine"`, Err: err})
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 403, `Bearer error="mine"`, "")
	})
}

// What a token has as scopes does not break out of a challenge.
func TestHostileScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := valid(t, claims{"scope": []string{"vault", `x",error="none`, "\u00e9\n", "offline_access"}})
		want(t, r.call("note", "Authorization", "Bearer "+text), 403, `, scope="vault notes.read notes.write"`, "")
		text = valid(t, claims{"scope": "notes.admin"}) // of alternatives, one is enough
		want(t, r.call("note", "Authorization", "Bearer "+text), 403, `, scope="notes.admin notes.read"`, "")
	})
}

// Scopes that imply ever more scopes have an end.
func TestEndlessScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{Implies: func(s string) []string { return []string{s + "0", s + "1"} }})
		defer r.srv.Close()
		if who := r.authenticate(t, valid(t, nil)); len(who.Scopes) > 1000 {
			t.Errorf("%d scopes", len(who.Scopes))
		}
	})
}
