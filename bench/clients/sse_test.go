package clients

import (
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/mcpgen/mcpgen/internal/dev/interop/httpfixture"
)

// TestMCPGoClientSSE drives two servers over HTTP+SSE with mcp-go, in the newest revision that has sessions and in the
// oldest. Its client of HTTP+SSE answers no questions of the server.
func TestMCPGoClientSSE(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2024-11-05"} {
		t.Run(revision, func(t *testing.T) {
			web := httpfixture.StartSSE(t, schemas(t), revision)
			notes := connectTo(t, newSSEClient(t, web.Notes, revision), revision)
			notes.lists()
			notes.callsTool()
			notes.completes(reference("notes:///{name}"), "name", "al", "alpha")
			notes.hearsOfEdit(web.Dir)
			connectTo(t, newSSEClient(t, web.Desk, revision), revision).getsPrompt()
		})
	}
}

// newSSEClient returns a client that speaks HTTP+SSE.
func newSSEClient(t *testing.T, url, revision string) *client.Client {
	t.Helper()
	keep := &http.Transport{}
	t.Cleanup(keep.CloseIdleConnections)
	way, err := transport.NewSSE(url, transport.WithHTTPClient(&http.Client{Transport: keep}))
	if err != nil {
		t.Fatal(err)
	}
	return client.NewClient(way, client.WithProtocolVersion(revision))
}
