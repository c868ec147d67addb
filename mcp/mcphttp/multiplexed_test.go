package mcphttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A request over HTTP/2 counts as a connection until its response was written. One address has at most half of them,
// and one too many is reset.
func TestUnreadResponsesOverHTTP2(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{MaxConnections: 8}, nil, large)
	s := httptest.NewUnstartedServer(r.http)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() { _ = r.srv.Close(); s.Close() })
	client := s.Client()
	client.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10}
	body, headers := modern("tools/call", "who", `"name":"who"`)
	call := func() (io.ReadCloser, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		setHeaders(req, headers)
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %d", resp.Proto, resp.StatusCode)
		}
		return resp.Body, nil
	}
	var unread []io.ReadCloser
	for range 4 {
		b, err := call()
		if err != nil {
			t.Fatal(err)
		}
		unread = append(unread, b)
	}
	if _, err := call(); err == nil {
		t.Error("a fifth request of one address is handled while nothing is read")
	}
	if got := r.srv.Stats().Refusals["connections"]; got != 1 {
		t.Errorf("%d refusals", got)
	}
	for _, b := range unread {
		if n, err := io.Copy(io.Discard, b); err != nil || n < 1<<20 {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for late := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		b, err := call()
		if err == nil {
			_ = b.Close()
			return
		}
		if time.Now().After(late) {
			t.Fatal("all is read, and no request is handled:", err)
		}
	}
}
