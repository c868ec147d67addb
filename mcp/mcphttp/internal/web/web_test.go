package web_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// The most specific range of an Accept header decides, and weight 0 refuses.
func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		accept []string
		want   bool
	}{
		{nil, true},
		{[]string{""}, false},
		{[]string{"application/json"}, true},
		{[]string{"text/html", "Application/JSON"}, true},
		{[]string{"*/*"}, true},
		{[]string{"application/*;q=0.1"}, true},
		{[]string{"application/json;q=0, */*"}, false},
		{[]string{"application/json;q=0.000"}, false},
		{[]string{"application/json;q=1.5"}, false},
		{[]string{`text/html;x="a,application/json"`}, false},
	} {
		r := &http.Request{Header: http.Header{}}
		if c.accept != nil {
			r.Header["Accept"] = c.accept
		}
		if got := web.Accepts(r, "application", "json"); got != c.want {
			t.Errorf("%q: %v, want %v", c.accept, got, c.want)
		}
	}
}

// A person reads what the endpoint is, and a program gets a JSON-RPC error without an id.
func TestExplain(t *testing.T) {
	for _, c := range []struct{ accept, want string }{
		{"text/html", "Model Context Protocol"},
		{"application/json", `"error":{`},
	} {
		r := httptest.NewRequest(http.MethodGet, web.Path, nil)
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		web.Explain(w, r, web.NewRefusal(http.StatusMethodNotAllowed, "use POST"))
		if w.Code != http.StatusMethodNotAllowed || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.accept, w.Code, w.Body)
		}
	}
}

// Who finds no place is told when to come again; nobody else is.
func TestRefuseSaysWhenToComeAgain(t *testing.T) {
	for status, want := range map[int]string{http.StatusServiceUnavailable: web.RetryAfter, http.StatusNotFound: ""} {
		w := httptest.NewRecorder()
		web.Refuse(w, web.NewRefusal(status, "no"))
		if got := w.Header().Get("Retry-After"); w.Code != status || got != want {
			t.Errorf("%d: status %d, Retry-After %q, want %q", status, w.Code, got, want)
		}
	}
}

// Large texts are written in pieces, each of which has its own time; an error ends them.
func TestWritePieces(t *testing.T) {
	const piece = 32 << 10
	var sizes []int
	n, err := web.WritePieces(make([]byte, 2*piece+1), func(b []byte) (int, error) {
		sizes = append(sizes, len(b))
		return len(b), nil
	})
	if n != 2*piece+1 || err != nil || !slices.Equal(sizes, []int{piece, piece, 1}) {
		t.Errorf("%d bytes in %d, %v", n, sizes, err)
	}
	n, err = web.WritePieces(make([]byte, 2*piece), func([]byte) (int, error) { return 7, http.ErrHandlerTimeout })
	if n != 7 || err != http.ErrHandlerTimeout {
		t.Errorf("after an error: %d bytes, %v", n, err)
	}
}
