package mcphttp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// stubborn is a server whose tool "stay" looks at nothing but stay, and whose limit is over at once; "go" returns.
func stubborn(t *testing.T, stay <-chan struct{}) *mcp.Server {
	t.Helper()
	schema := json.RawMessage(`{"type":"object"}`)
	tools := []mcprt.Tool{{
		Entry: &protocol.Tool{Name: "stay", InputSchema: schema},
		Guard: &mcprt.Guard{Limit: mcprt.Limit{Timeout: time.Millisecond}},
		Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
			<-stay
			return mcprt.ToolResultOf(mcp.ToolText("at last"), nil)
		},
	}, {
		Entry: &protocol.Tool{Name: "go", InputSchema: schema},
		Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
			return mcprt.ToolResultOf(mcp.ToolText("gone"), nil)
		},
	}}
	srv, err := mcprt.NewServer(&mcprt.Features{
		Info:         protocol.Implementation{Name: "stubborn", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools:        tools,
	}, &mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// postTool calls a tool over the network and returns the body of the answer.
func postTool(t *testing.T, c *http.Client, url, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `",` + modernMeta + `}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modernVersion, "Mcp-Method": "tools/call", "Mcp-Name": name,
	} {
		req.Header.Set(k, v)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A timeout is told when it is over, even if the handler never notices, and the connection that it keeps is not
// used for the next request.
func TestTimeoutIsToldBeforeTheHandlerReturns(t *testing.T) {
	stay := make(chan struct{})
	srv := stubborn(t, stay)
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	client := web.Client()
	defer func() {
		web.Close()
		_ = srv.Close()
	}()
	defer close(stay)
	if got := postTool(t, client, web.URL, "stay"); !strings.Contains(got, "took longer than") {
		t.Errorf("got %s", got)
	}
	if got := postTool(t, client, web.URL, "go"); !strings.Contains(got, "gone") {
		t.Errorf("got %s", got)
	}
}

// flushed is a response that notes whether what is sent before the handler has returned has a deadline.
type flushed struct {
	*httptest.ResponseRecorder
	deadline atomic.Bool // one is set
	flushes  chan bool   // whether there was one
}

func (f *flushed) SetWriteDeadline(at time.Time) error {
	f.deadline.Store(!at.IsZero())
	return nil
}

func (f *flushed) FlushError() error {
	f.flushes <- f.deadline.Load()
	return nil
}

// What is sent while the handler goes on has a deadline as every answer has: a client that does not read keeps nothing.
func TestEarlyAnswersHaveDeadlines(t *testing.T) {
	stay := make(chan struct{})
	srv := stubborn(t, stay)
	defer func() { _ = srv.Close() }()
	body, headers := modern("tools/call", "stay", `"name":"stay"`)
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &flushed{ResponseRecorder: httptest.NewRecorder(), flushes: make(chan bool, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(w, req)
	}()
	if !<-w.flushes {
		t.Error("the answer has no deadline")
	}
	close(stay)
	<-done
}
