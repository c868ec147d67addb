package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// exchanging is a rig whose issuer gives each caller, audience and set of scopes a token of its own, and whose tool
// exchanges the token of its caller.
type exchanging struct {
	*rig
	audience string
	scopes   []string
	answer   map[string]any // changes of what the issuer says
	got      auth.Exchanged
	err      error
}

func newExchanging(t *testing.T, o auth.Options) *exchanging {
	o.ClientID, o.ClientSecret = "server", "s"
	x := &exchanging{rig: newRig(t, o), audience: "https://mail.example.com"}
	x.issuer.set("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(r.FormValue("subject_token"), ".")[1])
		var of claims
		_ = json.Unmarshal(payload, &of)
		_ = json.NewEncoder(w).Encode(changed(claims{"token_type": "Bearer", "expires_in": 3600,
			"access_token": fmt.Sprint(of["sub"], " ", r.FormValue("audience"), " ", r.Form["scope"])}, x.answer))
	})
	x.called = func(c *mcp.Call) { x.got, x.err = auth.Exchange(c, x.audience, x.scopes) }
	return x
}

// ask exchanges the token of a caller, and returns what the handler got.
func (x *exchanging) ask(t *testing.T, bearer string) string {
	t.Helper()
	want(t, x.call("whoami", "Authorization", "Bearer "+bearer), 200, "", "result")
	return x.got.Token
}

// A remembered token is for the caller, the audience and the scopes that it was made for, and until either token ends.
func TestExchangedIsForItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExchanging(t, auth.Options{})
		defer x.srv.Close()
		ann, bob := valid(t, nil), valid(t, claims{"sub": "bob"})
		for range 2 {
			for _, row := range []struct {
				bearer, audience string
				scopes           []string
				want             string
			}{
				{ann, "https://mail.example.com", nil, "ann https://mail.example.com []"},
				{bob, "https://mail.example.com", nil, "bob https://mail.example.com []"},
				{ann, "https://files.example.com", nil, "ann https://files.example.com []"},
				{ann, "https://mail.example.com", []string{"read"}, "ann https://mail.example.com [read]"},
				{ann, "https://mail.example.com", []string{"read", "send"}, "ann https://mail.example.com [read send]"},
			} {
				x.audience, x.scopes = row.audience, row.scopes
				if got := x.ask(t, row.bearer); got != row.want || x.err != nil {
					t.Errorf("got %q, %v, want %q", got, x.err, row.want)
				}
			}
		}
		if n := x.issuer.count("/token"); n != 5 {
			t.Errorf("%d exchanges, want 5", n)
		}
		x.scopes, x.answer = nil, claims{"expires_in": 60}
		x.audience = "https://short.example"
		for _, n := range []int{6, 6, 7} { // it is used for 30 seconds
			x.ask(t, ann)
			if got := x.issuer.count("/token"); got != n {
				t.Errorf("%d exchanges, want %d", got, n)
			}
			time.Sleep(16 * time.Second)
		}
	})
}

// The token of a caller is shown to its issuer only, and what is no bearer token is not taken for one.
func TestExchangeRefused(t *testing.T) {
	for name, x := range map[string]struct {
		o      auth.Options
		answer map[string]any
		want   string
		asked  int
	}{
		"several issuers": {auth.Options{OtherIssuers: []string{otherID}}, nil, "OtherIssuers", 0},
		"another type":    {auth.Options{}, claims{"token_type": "N_A"}, "bearer", 1},
		"no token":        {auth.Options{}, claims{"access_token": nil}, "bearer", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newExchanging(t, x.o)
				defer r.srv.Close()
				r.answer = x.answer
				r.ask(t, valid(t, nil))
				if n := r.issuer.count("/token"); r.err == nil || !strings.Contains(r.err.Error(), x.want) || n != x.asked {
					t.Errorf("%v, %d exchanges", r.err, n)
				}
			})
		})
	}
}
