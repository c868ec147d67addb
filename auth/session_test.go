package auth_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/auth"
)

// A session is no authentication: each of its requests needs a token of the subject that has opened it, and a new
// token of that subject goes on with it.
func TestSessionNeedsToken(t *testing.T) {
	t.Attr("requirements", "auth-every ask-user-state ask-not-own-authorization practice-verify "+
		"practice-handle practice-user")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		var session string
		do := func(method, body, token string) *httptest.ResponseRecorder {
			req := httptest.NewRequest(method, resource, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range map[string]string{"Mcp-Session-Id": session, "Authorization": token} {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req)
			return w
		}
		bearer := func(changes claims) string { return "Bearer " + valid(t, changes) }
		first := bearer(nil)
		w := do(http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, first)
		want(t, w, 200, "", "2025-06-18")
		session = w.Header().Get("Mcp-Session-Id")
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		want(t, do(http.MethodPost, ping, first), 200, "", `"result":{}`)
		want(t, do(http.MethodPost, ping, ""), 401, "Bearer", "")
		want(t, do(http.MethodGet, "", ""), 401, "Bearer", "")
		want(t, do(http.MethodDelete, "", ""), 401, "Bearer", "")
		want(t, do(http.MethodPost, ping, bearer(claims{"sub": "bob"})), 404, "", "")
		start := time.Now()
		want(t, do(http.MethodGet, "", first), 200, "", "")
		if d := time.Since(start); d != 5*time.Minute {
			t.Errorf("the stream has lasted %v, the token 5 minutes", d)
		}
		want(t, do(http.MethodPost, ping, first), 401, "invalid_token", "")
		want(t, do(http.MethodPost, ping, bearer(nil)), 200, "", `"result":{}`)
	})
}
