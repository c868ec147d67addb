package clients

import (
	"context"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// newClient returns a client that answers forms. Older revisions need the stream for what the server tells unasked,
// which keeps mcp-go from speaking the newest one.
func newClient(t *testing.T, url, revision string) *client.Client {
	t.Helper()
	keep := &http.Transport{}
	t.Cleanup(keep.CloseIdleConnections)
	options := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(&http.Client{Transport: keep})}
	if revision != modern {
		options = append(options, transport.WithContinuousListening())
	}
	way, err := transport.NewStreamableHTTP(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	return client.NewClient(way, client.WithProtocolVersion(revision), client.WithElicitationHandler(traveller{}))
}

// traveller fills in the forms of the travel desk.
type traveller struct{}

// Elicit implements client.ElicitationHandler.
func (traveller) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	content := map[string]any{"name": "Ada"}
	if r.Params.Message != "Who goes to Rome?" {
		content = map[string]any{"class": "first"}
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: content,
	}}, nil
}
