package robustness

import (
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// TestAmbiguousHeaders: a header that counts is there once, or the request is refused, whatever the order of values.
func TestAmbiguousHeaders(t *testing.T) {
	v := newVictim(t, nil, nil)
	session, other := v.open(), v.open()
	const version, id, last = "Mcp-Protocol-Version", "Mcp-Session-Id", "Last-Event-Id"
	for _, row := range []struct {
		name    string
		methods []string
		header  http.Header
	}{
		{"two sessions", []string{"POST", "GET", "DELETE"}, http.Header{id: {session, other}}},
		{"one session twice", []string{"POST", "GET", "DELETE"}, http.Header{id: {session, session}}},
		{"no session and one", []string{"POST", "GET", "DELETE"}, http.Header{id: {"", session}}},
		{"two versions", []string{"POST", "GET", "DELETE"}, http.Header{id: {session},
			version: {"2025-11-25", "2025-06-18"}}},
		{"one version twice", []string{"POST", "GET", "DELETE"}, http.Header{id: {session},
			version: {"2025-11-25", "2025-11-25"}}},
		{"two eras", []string{"POST", "GET", "DELETE"}, http.Header{id: {session}, version: {"2025-11-25", "2026-07-28"}}},
		{"two events", []string{"GET"}, http.Header{id: {session}, last: {"0-1", "0-2"}}},
		{"one event twice", []string{"GET"}, http.Header{id: {session}, last: {"0-1", "0-1"}}},
	} {
		for _, method := range row.methods {
			if w := v.do(method, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, row.header); w.Code != http.StatusBadRequest {
				t.Errorf("%s with %s: %d %s", method, row.name, w.Code, w.Body)
			}
		}
	}
	opening := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{` + openParams + `}}`
	for _, h := range []http.Header{{id: {"", ""}}, {id: {"", "x"}}, {version: {"2025-11-25", "2025-11-25"}}} {
		if w := v.do("POST", opening, h); w.Code != http.StatusBadRequest || w.Header().Get(id) != "" {
			t.Errorf("initialize with %v: %d %v", h, w.Code, w.Header())
		}
	}
	for _, s := range []string{session, other} {
		if w := v.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.Header{id: {s}}); w.Code != http.StatusOK {
			t.Errorf("a session has gone: %d", w.Code)
		}
	}
}

// TestAccept: what a client takes at weight 0 it does not take; what names a type more exactly counts.
func TestAccept(t *testing.T) {
	v := newVictim(t, nil, nil)
	for accept, want := range map[string]int{
		"application/json, text/event-stream":                200,
		"application/json;q=0.5, text/event-stream;q=0.001":  200,
		"application/json; Q=1.000 ; x=y, text/event-stream": 200,
		"*/*":                               200,
		"*/*;q=0.1, text/*":                 200,
		"*/*;q=0, application/json, text/*": 200,
		"application/json;q=0, */*":         406,
		"*/*, text/event-stream; q=0":       406,
		"*/*, text/*;q=0.000":               406,
		"*/*;q=0":                           406,
		"application/json;q=0, text/event-stream;q=0": 406,
		"application/json;x=\"a,b\";q=0, */*":         406,
		"application/json, text/event-stream;Q=0.0":   406,
		"application/json, text/event-stream;q=":      406,
		"application/json, text/event-stream;q=x":     406,
		"application/json, text/event-stream;q=2":     406,
		"": 406,
	} {
		w := v.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+modernMeta+`}}`,
			http.Header{"Accept": {accept}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"},
				"Mcp-Name": {"echo"}})
		if w.Code != want {
			t.Errorf("Accept %q: %d, want %d", accept, w.Code, want)
		}
	}
}

// TestHalfClosed: a client that closes its side has left, for a request of 2026-07-28: what is cancelled so has no
// answer, least of all an empty one of status 200. A session goes on for the client, and answers.
func TestHalfClosed(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	proceed := make(chan struct{})
	v := newVictim(t, nil, nil, func(f *mcprt.Features) {
		f.Tools[0].Call = func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
			begun <- struct{}{}
			select {
			case <-c.Done():
			case <-proceed:
			}
			ended <- struct{}{}
			return mcprt.ToolResult{}, c.Err()
		}
	})
	s := serve(t, v.srv, mcphttp.Options{})
	c := s.dial()
	c.write(rawEcho())
	<-begun
	_ = c.Conn.(*net.TCPConn).CloseWrite()
	<-ended
	if resp, body := c.response(); resp != nil {
		t.Errorf("modern: %s %q", resp.Status, body)
	}

	open := s.dial()
	body := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{` + openParams + `}}`
	post := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s"
	open.write(fmt.Sprintf(post, len(body), "", body))
	resp, _ := open.response()
	if resp == nil {
		t.Fatal("no session")
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	open.write(fmt.Sprintf(post, len(call), "Mcp-Session-Id: "+resp.Header.Get("Mcp-Session-Id")+"\r\n", call))
	<-begun
	_ = open.Conn.(*net.TCPConn).CloseWrite()
	close(proceed)
	<-ended
	if resp, body := open.response(); resp == nil || resp.StatusCode != http.StatusOK || body == "" {
		t.Errorf("legacy: %v %q", resp, body)
	}
}
