package auth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/mcp"
)

// Each request of a session is exchanged by its own token, also if it is another one than that which has opened it.
func TestExchangeInSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{ClientID: "server", ClientSecret: "s"})
		defer r.srv.Close()
		var shown []string
		r.issuer.set("/token", func(w http.ResponseWriter, req *http.Request) {
			shown = append(shown, req.FormValue("subject_token"))
			_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "upstream", "token_type": "Bearer"})
		})
		r.called = func(c *mcp.Call) {
			if _, err := auth.Exchange(c, "https://mail.example.com", nil); err != nil {
				t.Error(err)
			}
		}
		session := ""
		send := func(body, token string) {
			req := httptest.NewRequest(http.MethodPost, resource, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Authorization", "Bearer "+token)
			if session != "" {
				req.Header.Set("Mcp-Session-Id", session)
			}
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req)
			want(t, w, 200, "", "result")
			if id := w.Header().Get("Mcp-Session-Id"); id != "" {
				session = id
			}
		}
		texts := []string{valid(t, claims{"jti": "a"}), valid(t, claims{"jti": "b"}), valid(t, claims{"jti": "c"})}
		send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, texts[0])
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`
		send(call, texts[1])
		send(call, texts[2])
		if len(shown) != 2 || shown[0] != texts[1] || shown[1] != texts[2] {
			t.Errorf("%d tokens were exchanged, and not those of the requests", len(shown))
		}
	})
}
