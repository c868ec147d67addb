package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// newLarge returns a rig with a tool whose results have size bytes, and how often that was called.
func newLarge(t *testing.T, opts *mcphttp.Options, size int, called func(n int64)) (*rig, *atomic.Int64) {
	var calls atomic.Int64
	text := strings.Repeat("x", size)
	return newRigWith(t, opts, nil, func(f *mcprt.Features) {
		f.Tools = []mcprt.Tool{{Entry: &protocol.Tool{Name: "large", InputSchema: []byte(`{"type":"object"}`)},
			Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				called(calls.Add(1))
				return mcprt.ToolResultOf(mcp.ToolText(text), nil)
			}}}
	}), &calls
}

// batchOf is a batch of n calls.
func batchOf(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = callOf(i+1, "large")
	}
	return "[" + strings.Join(items, ",") + "]"
}

// A small batch that asks for much gets what its client may have pending, and an error for each of the rest.
func TestBatchOfLargeResponses(t *testing.T) {
	t.Attr("requirements", "http-batch-stream")
	const items = 150
	r, calls := newLarge(t, nil, 4<<20, func(int64) {})
	s := r.initialize(t, "2025-03-26")
	for range 2 { // the bytes were given back
		calls.Store(0)
		w := r.do("POST", batchOf(items), s...)
		want(t, w, 200)
		var all []json.RawMessage
		body := w.Body.String()
		if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || len(all) != items {
			t.Errorf("%d responses in the array, %v", len(all), err)
		}
		results, refused := strings.Count(body, `"result"`), strings.Count(body, "no room for the response")
		if n := calls.Load(); n != items || results != 16 || results+refused != items {
			t.Errorf("%d calls, %d results, %d errors, %d bytes", n, results, refused, len(body))
		}
		end := body[len(body)-items*200:]
		for i := range items {
			if i > 16 && !strings.Contains(end, fmt.Sprintf(`"id":%d,`, i+1)) {
				t.Fatalf("no response to %d", i+1)
			}
		}
	}
}

// A batch has no more bytes pending than its client.
func TestBatchOfSmallShare(t *testing.T) {
	r, calls := newLarge(t, &mcphttp.Options{MaxPendingBytes: 4 << 20}, 256<<10, func(int64) {})
	s := r.initialize(t, "2025-03-26")
	w := r.do("POST", batchOf(20), s...)
	results, refused := strings.Count(w.Body.String(), `"result"`), strings.Count(w.Body.String(), `"error"`)
	if n := calls.Load(); n != 20 || results < 2 || results > 4 || results+refused != 20 {
		t.Errorf("%d calls, %d results, %d errors: %.500s", n, results, refused, w.Body)
	}
}

// What is left of a batch does not begin once its client has gone.
func TestBatchOfClientThatLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, calls := newLarge(t, nil, 100, func(n int64) {
		if n == 3 {
			leave()
		}
	})
	s := r.initialize(t, "2025-03-26")
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(batchOf(100)))
	setHeaders(req, s)
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, req)
	if n := calls.Load(); n != 3 || strings.Count(w.Body.String(), "had left") != 97 {
		t.Errorf("%d calls: %.300s", n, w.Body)
	}
}

// A rate counts the calls of a batch like others: of one address together, however many sessions it opens, and of
// subjects apart.
func TestRateInBatches(t *testing.T) {
	t.Attr("requirements", "tool-rate")
	r := newRigWith(t, nil, nil, rated)
	call := func(batch bool, remote string) bool {
		req := func(body string, s ...string) *httptest.ResponseRecorder {
			req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
			req.RemoteAddr = remote
			setHeaders(req, s)
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req)
			want(t, w, http.StatusOK)
			return w
		}
		w := req(initializeOf("2025-03-26"))
		body := callOf(1, "who")
		if batch {
			body = `[{"jsonrpc":"2.0","id":2,"method":"ping"},` + body + `]`
		}
		return strings.Contains(req(body, "Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")).Body.String(), "caller=")
	}
	for i, row := range []struct {
		batch  bool
		remote string
		may    bool
	}{
		{true, "192.0.2.1:1", true},
		{true, "192.0.2.1:2", false},
		{false, "192.0.2.1:3", false},
		{false, "192.0.2.2:1", true},
		{true, "192.0.2.2:2", false},
		{true, "192.0.2.3:1", true},
	} {
		if got := call(row.batch, row.remote); got != row.may {
			t.Errorf("call %d, in a batch %v, from %s may: %v", i, row.batch, row.remote, got)
		}
	}
}

// initializeOf is the request that opens a session.
func initializeOf(revision string) string {
	return request("initialize", `"protocolVersion":"`+revision+
		`","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)
}
