package deploy

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A program that was started without a token serves nobody: an empty one does not count.
func TestAuthenticateWithoutToken(t *testing.T) {
	t.Setenv("MCP_TOKEN", "")
	r := httptest.NewRequest(http.MethodPost, mcphttp.Path, nil)
	r.Header.Set("Authorization", "Bearer ") // as HTTP/2 brings it
	if who, err := authenticate(r); err == nil {
		t.Errorf("an empty token is that of %+v", who)
	}
}

// Who has the token of docs/deploy.md is served. All others get 401 and a challenge that sends them nowhere: no address
// in it would be answered.
func TestAuthenticate(t *testing.T) {
	t.Setenv("MCP_TOKEN", "the token of this team")
	n, err := notes.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	silent := slog.New(slog.DiscardHandler)
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcphttp.Handler(srv, &mcphttp.Options{Authenticate: authenticate, Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	defer s.Close()
	defer func() { _ = srv.Base().Close() }()
	for name, row := range map[string]struct {
		header, challenge, body string
		status                  int
	}{
		"the token":     {"Bearer the token of this team", "", `"protocolVersion":"2025-11-25"`, 200},
		"another token": {"Bearer the token of that team", "Bearer", "not authenticated", 401},
		"no token":      {"", "Bearer", "not authenticated", 401},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+mcphttp.Path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
				`"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if row.header != "" {
			req.Header.Set("Authorization", row.header)
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != row.status || resp.Header.Get("WWW-Authenticate") != row.challenge ||
			!strings.Contains(string(body), row.body) {
			t.Errorf("%s: status %d, %v, %s, %v", name, resp.StatusCode, resp.Header, body, err)
		}
	}
}
