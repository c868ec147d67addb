package robustness

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// request is an HTTP request that must not have an effect. Headers replace those of a good request of either era.
type request struct {
	name   string
	method string
	header http.Header
	want   string // statuses
	era    string // in which those headers mean something; empty for both
}

// hosts are names by which a page in a browser could be made to call a server on the machine.
var hosts = []string{
	"evil.example", "evil.example:8080", "localhost.", "localhost.evil.com", "evil.localhost", "localhost:evil", "127.1",
	"127.0.0.1.evil.com",
	"0.0.0.0", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "[::]", "[::1%25lo]",
	"localhost@evil.com",
	"evil.com#localhost", "localhost, evil.com", "localhost:80:80", "192.168.0.1", " localhost", "", "lоcalhost",
	"::1", "::1:80", "[127.0.0.1]", "[127.0.0.1]:80", "[localhost]", "[localhost]:80", "[::1", "::1]", "[[::1]]",
	"[mcp.example]", "[::1]80",
}

// requests are those that a page in a browser could send from elsewhere, and those that contradict themselves, for each
// method that an HTTP endpoint has.
func requests() (out []request) {
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodOptions,
		http.MethodHead} {
		for _, host := range hosts {
			out = append(out, request{"host " + host, method, http.Header{"Host": {host}}, "403", ""})
		}
		for _, origin := range []string{"null", "https://evil.example", "http://localhost.evil.example", "file://",
			"localhost", "http://user@localhost", "http://evil@localhost:80/"} {
			out = append(out, request{"origin " + origin, method, http.Header{"Origin": {origin}}, "403", ""})
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
		"application/jsonx", "text/json", "application/json, text/plain"} {
		out = append(out, request{"type " + kind, http.MethodPost, http.Header{"Content-Type": {kind}}, "415", ""})
	}
	return append(out,
		request{"two origins", http.MethodPost, http.Header{"Origin": {"http://localhost", "https://evil.example"}}, "403",
			""},
		request{"two types", http.MethodPost, http.Header{"Content-Type": {"application/json", "text/plain"}}, "415", ""},
		request{"two versions", http.MethodPost, http.Header{"Mcp-Protocol-Version": {"2026-07-28", "2025-11-25"}}, "400",
			""},
		request{"two sessions", http.MethodPost, http.Header{"Mcp-Session-Id": {"a", "b"}}, "400 | 404", "legacy"},
		request{"two methods", http.MethodPost, http.Header{"Mcp-Method": {"tools/call", "tools/list"}}, "400", "modern"},
		request{"a stream that takes no events", http.MethodGet, http.Header{"Accept": {"application/json"}}, "406 | 405",
			""},
		request{"another method", http.MethodPatch, nil, "405", ""},
	)
}

// TestRequests sends each request in both eras; none may reach the tool.
func TestRequests(t *testing.T) {
	v := newVictim(t, nil, &mcphttp.Options{AllowedHosts: []string{"mcp.example"}})
	session := v.open()
	for _, era := range []struct {
		name   string
		header http.Header
		meta   string
	}{
		{"legacy", http.Header{"Mcp-Session-Id": {session}, "Mcp-Protocol-Version": {"2025-11-25"}}, ""},
		{"modern", http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}},
			"," + modernMeta},
	} {
		for _, r := range requests() {
			if r.era != "" && r.era != era.name {
				continue
			}
			header := era.header.Clone()
			maps.Copy(header, r.header)
			before := v.calls.Load()
			w := v.do(r.method, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"`+era.meta+`}}`, header)
			outcome(t, w.Body.String())
			if !allowed(fmt.Sprint(w.Code), r.want) {
				t.Errorf("%s: %s with %s: %d %s", era.name, r.method, r.name, w.Code, w.Body)
			}
			if v.calls.Load() != before {
				t.Errorf("%s: %s with %s reached the tool", era.name, r.method, r.name)
			}
		}
	}
	for _, e := range []*entry{v.legacy(), v.modern()} {
		e.echo(t)
	}
	if w := v.do(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		http.Header{"Mcp-Session-Id": {session}}); w.Code != http.StatusOK {
		t.Errorf("the session has gone: %d", w.Code)
	}
}

// open returns the id of a new session.
func (v *victim) open() string {
	return v.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{`+openParams+`}}`,
		nil).Header().Get("Mcp-Session-Id")
}

// TestEventIDs: no id of an event that a client makes up, or keeps from elsewhere, brings what is another's.
func TestEventIDs(t *testing.T) {
	v := newVictim(t, nil, nil)
	session, other := v.open(), v.open()
	for _, id := range []string{
		"-1", "0", "1", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1-", "-", "1--1",
		"1-18446744073709551616", "99-1", "1-99",
		"0-0", "1e9", "0x1", "１", " 1", "1 ", "1\x00", strings.Repeat("9", 10_000), session, other, "null", "../1", "%31",
		"1-1-1", "+1-1",
	} {
		for _, s := range []string{session, other} {
			w := v.do(http.MethodGet, "", http.Header{"Mcp-Session-Id": {s}, "Mcp-Protocol-Version": {"2025-11-25"},
				"Last-Event-Id": {id}})
			if w.Code != http.StatusBadRequest {
				t.Errorf("Last-Event-ID %.40q: %d %.200s", id, w.Code, w.Body)
			}
			outcome(t, w.Body.String())
		}
	}
	v.legacy().echo(t)
}

// TestSecondStream: the second stream for news is told from the first one: one of them ends.
func TestSecondStream(t *testing.T) {
	v := newVictim(t, nil, nil)
	session := v.open()
	server := httptest.NewServer(v.http)
	defer server.Close()
	get := func() *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path = "/mcp"
		r.Header = http.Header{"Mcp-Session-Id": {session}, "Mcp-Protocol-Version": {"2025-11-25"},
			"Accept": {"text/event-stream"}}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	first := get()
	second := get()
	if second.StatusCode != http.StatusOK && second.StatusCode != http.StatusConflict {
		t.Errorf("the second stream gets %s", second.Status)
	}
	if second.StatusCode == http.StatusOK {
		_, _ = first.Body.Read(make([]byte, 1<<16)) // ends, or the test does not
	}
	_ = first.Body.Close()
	_ = second.Body.Close()
	_ = v.srv.Close()
}
