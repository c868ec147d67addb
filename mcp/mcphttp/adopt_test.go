package mcphttp_test

import (
	"encoding/base64"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

const sharedKey = "a key of sixteen bytes"

const subscribe5 = `{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"r:///ä"}}`

// newTwin is newRig with a key that several servers have.
func newTwin(t testing.TB, opts *mcphttp.Options, edits ...func(*mcprt.Features)) *rig {
	t.Helper()
	return newRigWith(t, opts, &mcp.Options{Keys: [][]byte{[]byte(sharedKey)}}, edits...)
}

func TestSealedSessionIDs(t *testing.T) {
	t.Attr("requirements", "http-session-id practice-random")
	audited := newRigWith(t, nil, &mcp.Options{Keys: [][]byte{[]byte(sharedKey)}, Audit: slog.New(slog.DiscardHandler)})
	for _, r := range []*rig{newTwin(t, nil), audited} {
		seen := map[string]bool{}
		for range 50 {
			w := r.do("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
				`"capabilities":{"roots":{},"sampling":{},"experimental":{"x":{"y":"`+strings.Repeat("z", 3000)+`"}}},`+
				`"clientInfo":{"name":"`+strings.Repeat("ä", 3000)+`","version":"1"}}}`)
			id := w.Header().Get("Mcp-Session-Id")
			if w.Code != 200 || len(id) < 80 || len(id) > 256 || seen[id] {
				t.Fatalf("%d, id of %d characters %q", w.Code, len(id), id)
			}
			if _, err := base64.RawURLEncoding.DecodeString(id); err != nil {
				t.Error(err)
			}
			seen[id] = true
		}
	}
	// What initialize refuses has no session.
	r := newTwin(t, nil)
	w := r.do("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
	if id := w.Header().Get("Mcp-Session-Id"); id != "" || !strings.Contains(w.Body.String(), "error") {
		t.Errorf("id %q for %s", id, w.Body)
	}
}

// A process with the same keys goes on with a session that another one has begun, and with its own after a restart.
func TestAdoptedSession(t *testing.T) {
	for _, revision := range legacyRevisions {
		first, other := newTwin(t, nil), newTwin(t, nil)
		s := first.initialize(t, revision)
		if err := first.srv.Close(); err != nil { // as at a restart
			t.Fatal(err)
		}
		want(t, other.do("POST", ping, s...), 200, `"result":{}`)
		want(t, other.do("POST", request("resources/read", `"uri":"r:///ä"`), s...), 200, `"text"`)
		want(t, other.do("POST", request("tools/call", `"name":"who"`), s...), 200, `caller=`)
		want(t, other.do("POST", request("tools/list", ""), s...), 200, `"who"`)
		want(t, other.do("POST", request("resources/list", ""), s...), 200, `"r:///ä"`)
		want(t, other.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s...), 202)
		want(t, other.do("POST", ping, append(s, "Mcp-Protocol-Version", "1999-01-01")...), 400)
		// It does not pretend to know what the session has subscribed to.
		want(t, other.do("GET", "", s...), 404)
		want(t, other.do("POST", subscribe5, s...), 404, `"id":5`)
		want(t, other.do("POST", strings.Replace(subscribe5, "/subscribe", "/unsubscribe", 1), s...), 404)
		want(t, other.do("POST", request("logging/setLevel", `"level":"info"`), s...), 404)
		batch := other.do("POST", `[`+ping+`,`+subscribe5+`,`+request("logging/setLevel", `"level":"info"`)+`]`, s...)
		if revision == "2025-03-26" {
			want(t, batch, 200, `"result":{}`, `"id":5,"error":{"code":-32600`, `"id":1,"error":{"code":-32600`)
		} else {
			want(t, batch, 400)
		}
		want(t, other.do("DELETE", "", s...), 204)
		want(t, other.do("DELETE", "", s...), 404)
		want(t, other.do("POST", ping, s...), 404)
	}
}

// A session that was never used here can be ended here, and is not adopted afterwards.
func TestDeleteElsewhere(t *testing.T) {
	first, other := newTwin(t, nil), newTwin(t, nil)
	s := first.initialize(t, "2025-11-25")
	want(t, other.do("GET", "", s...), 404)
	want(t, other.do("DELETE", "", append(s, "Mcp-Protocol-Version", "1999-01-01")...), 400)
	want(t, other.do("DELETE", "", s...), 204)
	want(t, other.do("POST", ping, s...), 404)
}

func TestForgedSessionIDs(t *testing.T) {
	t.Attr("requirements", "http-session-id practice-random")
	first, other := newTwin(t, nil), newTwin(t, nil)
	s := first.initialize(t, "2025-11-25")
	id := s[1]
	forged := []string{id + "A", id[:len(id)-4], id + "=", id[1:], strings.Repeat(id, 8), "x", "\t", "å"}
	for i := range len(id) {
		for _, c := range "A_9" {
			if rune(id[i]) != c {
				forged = append(forged, id[:i]+string(c)+id[i+1:])
			}
		}
	}
	for _, id := range forged {
		if w := other.do("POST", ping, "Mcp-Session-Id", id); w.Code != 404 {
			t.Fatalf("%q: %d", id, w.Code)
		}
	}
	differently := newRigWith(t, nil, &mcp.Options{Keys: [][]byte{[]byte("another key of 16 bytes")}})
	want(t, differently.do("POST", ping, s...), 404)
	named := newTwin(t, nil, func(f *mcprt.Features) { f.Info.Name = "another server" })
	want(t, named.do("POST", ping, s...), 404)
	want(t, newRig(t, nil).do("POST", ping, s...), 404)
	want(t, other.do("POST", ping, s...), 200)
	// Keys are rotated.
	rotated := newRigWith(t, nil, &mcp.Options{Keys: [][]byte{[]byte("another key of 16 bytes"), []byte(sharedKey)}})
	want(t, rotated.do("POST", ping, s...), 200)
}

func TestSessionOfAnotherUserIsNotAdopted(t *testing.T) {
	opts := &mcphttp.Options{Authenticate: tokens}
	first, other := newTwin(t, opts), newTwin(t, opts)
	ann, bob := []string{"Authorization", "Bearer ann s 1h"}, []string{"Authorization", "Bearer bob s 1h"}
	s := first.initialize(t, "2025-11-25", ann...)
	stolen := append([]string{s[0], s[1]}, bob...)
	for range 2 {
		want(t, other.do("POST", ping, stolen...), 404)
		want(t, other.do("GET", "", stolen...), 404)
		want(t, other.do("DELETE", "", stolen...), 404)
		want(t, other.do("POST", request("tools/call", `"name":"who"`), s...), 200, "caller=ann")
	}
}

func TestSessionLifetime(t *testing.T) {
	for _, tt := range []struct{ set, want time.Duration }{{0, time.Hour}, {8 * time.Hour, 8 * time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			opts := &mcphttp.Options{SessionLifetime: tt.set, SessionTimeout: 10 * time.Minute}
			first, other := newTwin(t, opts), newTwin(t, opts)
			defer func() { _, _ = first.srv.Close(), other.srv.Close() }()
			s := first.initialize(t, "2025-11-25")
			time.Sleep(tt.want - time.Minute)
			want(t, first.do("POST", ping, s...), 200) // it had been idle for too long, and is adopted again
			want(t, other.do("POST", ping, s...), 200)
			for range 20 { // who knows it goes on
				time.Sleep(5 * time.Minute)
				want(t, other.do("POST", ping, s...), 200)
			}
			want(t, first.do("POST", ping, s...), 404)
			time.Sleep(time.Hour)
		})
	}
}

// Adopted sessions count like others, and are given back.
func TestAdoptionIsAdmitted(t *testing.T) {
	const most = 5
	opts := &mcphttp.Options{Authenticate: tokens, MaxPerClient: most}
	first, other := newTwin(t, &mcphttp.Options{Authenticate: tokens}), newTwin(t, opts)
	ann := []string{"Authorization", "Bearer ann s 1h"}
	var all [][]string
	for range most + 1 {
		all = append(all, first.initialize(t, "2025-11-25", ann...))
	}
	for _, s := range all[:most] {
		want(t, other.do("POST", ping, s...), 200)
	}
	want(t, other.do("POST", ping, all[most]...), http.StatusServiceUnavailable)
	want(t, other.do("DELETE", "", all[0]...), 204)
	want(t, other.do("POST", ping, all[most]...), 200)
}

// Requests that adopt a session at the same time adopt one.
func TestConcurrentAdoption(t *testing.T) {
	opts := &mcphttp.Options{MaxPerClient: 64}
	first, other := newTwin(t, opts), newTwin(t, opts)
	s := first.initialize(t, "2025-11-25")
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() { want(t, other.do("POST", ping, s...), 200) })
	}
	all.Wait()
	for range 63 { // one place is taken
		other.initialize(t, "2025-11-25")
	}
	w := other.do("POST", request("initialize", `"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"t","version":"1"}`))
	want(t, w, http.StatusServiceUnavailable)
	want(t, other.do("DELETE", "", s...), 204)
	other.initialize(t, "2025-11-25")
}
