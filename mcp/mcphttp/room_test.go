package mcphttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// bySubject lets everybody be whom the header Authorization names.
func bySubject(r *http.Request) (mcp.Caller, error) {
	return mcp.Caller{Subject: r.Header.Get("Authorization")}, nil
}

// Idle sessions make room for those of a client that has fewer: first those that were idle longest, of the client that
// has most, and never so many that it has less than its fair share. Sessions in use stay.
func TestRoomForSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{MaxSessions: 20, MaxPerClient: 20, Authenticate: bySubject})
		defer func() { _ = r.srv.Close() }()
		open := func(who string, n int) (list [][]string) {
			for range n {
				list = append(list, r.initialize(t, "2025-11-25", "Authorization", who))
				time.Sleep(time.Second)
			}
			return list
		}
		left := func(list [][]string) (n int, oldest bool) {
			for i, s := range list {
				code := r.do("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, s...).Code
				n += map[int]int{200: 1}[code]
				oldest = oldest || i == 0 && code == 200
			}
			return n, oldest
		}
		ann := open("ann", 12)
		bob := open("bob", 8)
		called := make(chan struct{})
		go func() { // the oldest session of ann is in use
			defer close(called)
			want(t, r.do("POST", callOf(1, "wait"), ann[0]...), 200)
		}()
		<-r.started
		cid := open("cid", 6)
		eve := open("eve", 1)
		const opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		for range 30 { // nobody has more than a fair share beside cid
			r.do("POST", opening, "Authorization", "cid")
		}
		close(r.proceed)
		<-called
		for name, list := range map[string][][]string{"ann": ann, "bob": bob} {
			n, oldest := left(list)
			if n < 5 || n > 7 || oldest != (name == "ann") {
				t.Errorf("%s has %d sessions left, the oldest: %v", name, n, oldest)
			}
		}
		if n, _ := left(eve); n != 1 {
			t.Error("the only session of eve has gone")
		}
		if n, _ := left(cid); n > 6 {
			t.Errorf("cid has %d", n)
		}
	})
}

// One client that has all sessions keeps them from itself, not from others.
func TestRoomForSessionsOfOthers(t *testing.T) {
	r := newRig(t, &mcphttp.Options{MaxSessions: 10, MaxPerClient: 10, Authenticate: bySubject})
	for range 10 {
		r.initialize(t, "2025-11-25", "Authorization", "ann")
	}
	const opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	want(t, r.do("POST", opening, "Authorization", "ann"), 503, "sessions")
	r.initialize(t, "2025-11-25", "Authorization", "bob")
}

// Clients that cannot be told from others, as those behind a Unix socket, make room for each other: those first that
// are idle longest, and none that is in use.
func TestRoomAmongClientsAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{MaxSessions: 4})
		defer func() { _ = r.srv.Close() }()
		do := func(body string, headers ...string) *httptest.ResponseRecorder {
			req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
			req.RemoteAddr = "@"
			setHeaders(req, headers)
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req)
			return w
		}
		var opened [][]string
		var wg sync.WaitGroup
		for i := range 8 {
			w := do(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
				`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			want(t, w, 200)
			opened = append(opened, []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")})
			if i == 0 {
				wg.Go(func() { want(t, do(callOf(1, "wait"), opened[0]...), 200) })
				<-r.started
			}
			time.Sleep(time.Second)
		}
		close(r.proceed)
		wg.Wait()
		for i, s := range opened {
			status := http.StatusOK
			if i > 0 && i < 5 {
				status = http.StatusNotFound
			}
			want(t, do(ping, s...), status)
		}
	})
}
