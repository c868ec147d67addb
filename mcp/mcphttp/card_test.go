package mcphttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// The card names the endpoint and its revisions, and the catalog the card. Every page may read both, and a client that
// has a document gets it once.
func TestCard(t *testing.T) {
	r := newRigWith(t, nil, nil, func(f *mcprt.Features) {
		f.Info.Title, f.Info.Description = "Team notes", "The notes of a team"
	})
	card := mcphttp.Card{Name: "io.github.ada/notes", URL: "https://mcp.example.com/notes/mcp"}
	routes, err := card.Routes(r.srv)
	if err != nil {
		t.Fatal(err)
	}
	get := func(method, path, tag string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
		req.Header.Set("Origin", "https://page.example")
		if tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		routes[path].ServeHTTP(w, req)
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "*" {
			t.Errorf("%s %s: allowed origin %q", method, path, got)
		}
		return w
	}
	for path, text := range map[string]string{
		"/notes/mcp/server-card": `{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",` +
			`"name":"io.github.ada/notes","title":"Team notes","description":"The notes of a team","version":"1",` +
			`"remotes":[{"type":"streamable-http","url":"https://mcp.example.com/notes/mcp",` +
			`"supportedProtocolVersions":["2026-07-28","2025-11-25"`,
		"/mcp/server-card": `"name":"io.github.ada/notes"`,
		"/.well-known/ai-catalog.json": `{"specVersion":"0.9","entries":[{"identifier":"urn:air:ada.github.io:mcp:notes",` +
			`"type":"application/mcp-server-card+json","url":"https://mcp.example.com/notes/mcp/server-card"}]}`,
	} {
		w := get(http.MethodGet, path, "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s: %d %s\nwant %s", path, w.Code, w.Body, text)
		}
		if w = get(http.MethodGet, path, w.Header().Get("ETag")); w.Code != 304 || w.Body.Len() > 0 {
			t.Errorf("%s: %d for who has it", path, w.Code)
		}
		if get(http.MethodOptions, path, "").Code != 204 || get(http.MethodPost, path, "").Code != 405 {
			t.Errorf("%s: wrong status of another method", path)
		}
	}
}

func TestCardMistakes(t *testing.T) {
	r := newRig(t, nil) // a server without a description
	for _, c := range []struct {
		card mcphttp.Card
		want string
	}{
		{mcphttp.Card{Name: "notes", URL: "https://mcp.example.com/mcp", Description: "N"}, "Card.Name"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "mcp.example.com", Description: "N"}, "Card.URL"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://mcp.example.com/mcp"}, "Card.Description"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://x/mcp?k=v", Description: "N"}, "Card.URL"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://x/mcp#a", Description: "N"}, "Card.URL"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://x/my%20app/mcp", Description: "N"}, "Card.URL"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://x//mcp", Description: "N"}, "Card.URL"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://x/{a}/mcp", Description: "N"}, "Card.URL"},
		{mcphttp.Card{Name: "io.github.ada/notes", URL: "https://user:pass@x/mcp", Description: "N"}, "Card.URL"},
	} {
		if _, err := c.card.Routes(r.srv); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "pass@") {
			t.Errorf("%+v: %v", c.card, err)
		}
	}
}
