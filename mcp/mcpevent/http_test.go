package mcpevent_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// post sends a request over HTTP.
func post(t *testing.T, url, id, method, params string) *http.Response {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + meta + params + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		r.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Body.Close() })
	return w
}

// sse reads data frames.
type sse struct {
	t *testing.T
	r *bufio.Scanner
}

func (s sse) want(part string) {
	s.t.Helper()
	for s.r.Scan() {
		if line := s.r.Text(); strings.HasPrefix(line, "data:") {
			if !strings.Contains(line, part) {
				s.t.Fatalf("got %s, want %s", line, part)
			}
			return
		}
	}
	s.t.Fatalf("the stream ended before %s: %v", part, s.r.Err())
}

// Streams over HTTP are streams and no requests that run, and end with the server.
func TestHTTP(t *testing.T) {
	in := incidents()
	srv := serverOf(t, &mcp.Options{Events: &event.Options{}}, in)
	h, err := mcphttp.Handler(srv, &mcphttp.Options{MaxRequests: 4})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	hs := httptest.NewServer(mux)
	t.Cleanup(hs.Close)
	var all []sse
	for i := range 8 {
		w := post(t, hs.URL+mcphttp.Path, strconv.Itoa(i), "events/stream", `,"name":"incident.opened"`)
		if kind := w.Header.Get("Content-Type"); w.StatusCode != http.StatusOK || kind != "text/event-stream" {
			t.Fatalf("%s %s", w.Status, kind)
		}
		s := sse{t, bufio.NewScanner(w.Body)}
		s.want(`"method":"notifications/events/active","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` +
			strconv.Itoa(i) + `},`)
		all = append(all, s)
	}
	commit(t, in, "a", "api", 1)
	for _, s := range all {
		s.want(`"eventId":"a"`)
	}
	if w := post(t, hs.URL+mcphttp.Path, `"p"`, "events/poll", `,"name":"nothing"`); w.StatusCode != http.StatusOK {
		t.Errorf("events/poll: %s", w.Status)
	}
	closed := make(chan struct{})
	go func() {
		_ = srv.Close()
		close(closed)
	}()
	for _, s := range all {
		s.want(`"result":{"resultType":"complete"`)
	}
	<-closed
	if err := in.Commit(context.Background(), &opened{ID: "b", Opened: day}); err == nil {
		t.Error("Commit after the end succeeded")
	}
}

// Webhooks are for callers with a subject, whom nobody tells apart without Authenticate.
func TestNoSubjects(t *testing.T) {
	s := serverOf(t, hooked(event.Specification), incidents())
	for _, o := range []*mcphttp.Options{nil, {}} {
		if _, err := mcphttp.Handler(s, o); err == nil ||
			!strings.Contains(err.Error(), "mcphttp: Options.Authenticate is nil") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	known := func(*http.Request) (mcp.Caller, error) { return mcp.Caller{}, nil }
	if _, err := mcphttp.Handler(s, &mcphttp.Options{Authenticate: known}); err != nil {
		t.Error(err)
	}
	if _, err := mcphttp.Handler(serverOf(t, nil, incidents()), nil); err != nil {
		t.Error("without webhooks: ", err)
	}
}
