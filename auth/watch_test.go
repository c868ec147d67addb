package auth_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/mcp"
)

// listen opens a stream whose token ends in ten hours, and returns how long it has lasted.
func (r *rig) listen(t testing.TB) time.Duration {
	start := time.Now()
	text := valid(t, claims{"exp": start.Unix() + 36000})
	w := r.do("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "Authorization", "Bearer "+text)
	want(t, w, 200, "", "")
	return time.Since(start)
}

// A hook of the program that fails under a stream ends the stream, within a minute, and nothing else.
func TestCallerFailsUnderStream(t *testing.T) {
	for name, fails := range map[string]func(ctx context.Context){
		"panics":                        func(context.Context) { panic("no database") },
		"waits":                         func(ctx context.Context) { <-ctx.Done() },
		"waits longer than its context": func(context.Context) { time.Sleep(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var failing atomic.Bool
				r := newRig(t, auth.Options{Caller: func(ctx context.Context, tok *auth.Token) (mcp.Caller, error) {
					if failing.Load() {
						fails(ctx)
					}
					return mcp.Caller{Subject: tok.Subject, Scopes: tok.Scopes}, nil
				}})
				defer r.srv.Close()
				time.AfterFunc(100*time.Second, func() { failing.Store(true) })
				if d := r.listen(t) - 100*time.Second; d < 0 || d > time.Minute {
					t.Errorf("the stream has lasted %v after its hook began to fail", d)
				}
				failing.Store(false)
				want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann")
				time.Sleep(2 * time.Hour) // until what was left behind has returned
			})
		})
	}
}

// An issuer that is away for a moment ends no stream; one that stays away does, within a minute.
func TestIssuerAwayUnderStream(t *testing.T) {
	for name, x := range map[string]struct {
		away      int // questions without an answer
		least, no time.Duration
	}{
		"for a moment": {1, 5 * time.Minute, 6 * time.Minute},
		"for good":     {1 << 20, 90 * time.Second, 160 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
				defer r.srv.Close()
				start, left := time.Now(), x.away
				r.issuer.set("/introspect", func(w http.ResponseWriter, _ *http.Request) {
					age := time.Since(start)
					if age > 90*time.Second && left > 0 {
						left--
						w.WriteHeader(http.StatusBadGateway)
						return
					}
					c := token(nil)
					c["active"], c["exp"] = age < 5*time.Minute, start.Unix()+36000
					_ = json.NewEncoder(w).Encode(c)
				})
				if d := r.listen(t); d < x.least || d > x.no {
					t.Errorf("the stream has lasted %v, want %v to %v", d, x.least, x.no)
				}
			})
		})
	}
}

// The answer of an issuer counts from the question on, however long it takes: the token may end meanwhile.
func TestSlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{Introspect: true, ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		r.issuer.set("/introspect", func(w http.ResponseWriter, _ *http.Request) {
			c := token(nil)
			c["active"] = r.issuer.count("/introspect") == 1
			time.Sleep(4 * time.Second)
			_ = json.NewEncoder(w).Encode(c)
		})
		start := time.Now()
		want(t, r.call("whoami", "Authorization", "Bearer opaque"), 200, "", "ann")
		time.Sleep(time.Until(start.Add(24 * time.Second)))
		want(t, r.call("whoami", "Authorization", "Bearer opaque"), 200, "", "ann")
		time.Sleep(2 * time.Second)
		want(t, r.call("whoami", "Authorization", "Bearer opaque"), 401, "invalid_token", "")
	})
}

// A key that its issuer has withdrawn does not count on a server that nobody has called since.
func TestKeyWithdrawnWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 200, "", "ann")
		r.issuer.set("/jwks", func(w http.ResponseWriter, _ *http.Request) { writeKeys(w, jwk(ecKey.Public(), "ec", "")) })
		time.Sleep(8 * time.Hour)
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 401, "invalid_token", "")
	})
}

// Requests share what is remembered of a token; what a handler appends to it is its own.
func TestCallersAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		var first []string
		r.called = func(c *mcp.Call) {
			who := c.Caller()
			scopes := append(who.Scopes, strings.Repeat("x", len(first)+1)) //nolint:gocritic // that is the test
			if first == nil {
				first = scopes
			}
			who.Roles = append(who.Roles, "r")
		}
		text := "Bearer " + valid(t, claims{"scope": "a b c", "roles": []string{"k", "l", "m"}})
		for range 2 {
			want(t, r.call("whoami", "Authorization", text), 200, "", "roles=[k l m]")
		}
		if got := first[len(first)-1]; got != "x" {
			t.Errorf("another request has written %q", got)
		}
	})
}
