package robustness

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// TestEqualIDs: many clients that use the same ids at the same time get their own answers.
func TestEqualIDs(t *testing.T) {
	clients, requests := 200, 20
	if testing.Short() {
		clients = 20
	}
	v := newVictim(t, nil, nil)
	modern := v.modern()
	var group sync.WaitGroup
	for c := range clients {
		group.Go(func() {
			e := modern
			if c%2 == 0 {
				e = v.legacy()
			}
			for n := range requests {
				nonce := fmt.Sprintf("%d of %d", n, c)
				got := e.send([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"nonce":"` + nonce + `"}` + e.meta + `}}`))
				if !strings.Contains(got, `"id":1,`) || !strings.Contains(got, `\"`+nonce+`\"`) {
					t.Errorf("%s asked with %q: %s", e.name, nonce, got)
				}
			}
		})
	}
	group.Wait()
	if got := v.calls.Load(); got != int64(clients*requests) {
		t.Errorf("%d calls", got)
	}
}

// byName lets everybody be whom the header User names.
func byName(r *http.Request) (mcp.Caller, error) {
	name := r.Header.Get("User")
	if name == "" {
		return mcp.Caller{}, errors.New("no name")
	}
	return mcp.Caller{Subject: name}, nil
}

// TestStolen: sessions, cursors and streams of one user are nothing to another, on three replicas that share their
// keys.
func TestStolen(t *testing.T) {
	keys := [][]byte{[]byte("0123456789abcdef0123456789abcdef")}
	var replicas []*victim
	for range 3 {
		replicas = append(replicas, newVictim(t, &mcp.Options{Keys: keys}, &mcphttp.Options{Authenticate: byName}))
	}
	as := func(user string, more ...string) http.Header {
		h := http.Header{"User": {user}}
		for i := 0; i < len(more); i += 2 {
			h.Set(more[i], more[i+1])
		}
		return h
	}
	home := replicas[0]
	open := home.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{`+openParams+`}}`, as("ann"))
	session := open.Header().Get("Mcp-Session-Id")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, want := range map[string]int{"ann": http.StatusOK, "bob": http.StatusNotFound} {
		h := as(name, "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25")
		if w := home.post(ping, h); w.Code != want {
			t.Errorf("the session of ann for %s: %d", name, w.Code)
		}
		if name == "bob" {
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				if w := home.do(method, "", h); w.Code != want {
					t.Errorf("%s of the session of ann for bob: %d", method, w.Code)
				}
			}
		}
	}
	if w := home.post(ping, as("", "Mcp-Session-Id", session)); w.Code != http.StatusUnauthorized {
		t.Errorf("the session of ann for nobody: %d", w.Code)
	}
	if w := home.post(ping, as("ann", "Mcp-Session-Id", session)); w.Code != http.StatusOK {
		t.Errorf("ann after all that: %d", w.Code)
	}
	list := func(v *victim, user, cursor string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"` + cursor + `",` + modernMeta + `}}`
		return v.post(body, as(user, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/list")).Body.String()
	}
	var page struct{ Result struct{ NextCursor string } }
	if err := json.Unmarshal([]byte(list(home, "ann", "")), &page); err != nil || page.Result.NextCursor == "" {
		t.Fatalf("no cursor: %v", err)
	}
	for _, v := range replicas {
		if got := list(v, "ann", page.Result.NextCursor); !strings.Contains(got, "page:///4") {
			t.Errorf("another replica does not know the cursor: %s", got)
		}
		forged := page.Result.NextCursor[:10] + "A" + page.Result.NextCursor[11:]
		if got := list(v, "ann", forged); forged != page.Result.NextCursor && !strings.Contains(got, "-32602") {
			t.Errorf("a forged cursor: %s", got)
		}
	}
}
