package mcphttp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// sink is a response that keeps nothing.
type sink struct {
	head http.Header
	n    int
}

func (s *sink) Header() http.Header         { return s.head }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { s.n += len(b); return len(b), nil }

// The gate of a modern tool call counts what this package and the runtime allocate, without net/http.
func TestModernCallAllocations(t *testing.T) {
	r := newRig(t, nil)
	text, headers := modern("tools/call", "who", `"name":"who"`)
	req := httptest.NewRequest(http.MethodPost, target, nil)
	setHeaders(req, headers)
	body := bytes.NewReader(nil)
	req.Body = io.NopCloser(body)
	req.ContentLength = int64(len(text))
	w := &sink{head: make(http.Header)}
	raw := []byte(text)
	got := testing.AllocsPerRun(200, func() {
		body.Reset(raw)
		clear(w.head)
		r.http.ServeHTTP(w, req)
	})
	if w.n == 0 {
		t.Fatal("no answer")
	}
	t.Logf("%v allocations", got)
	if got > allocationsOfCall {
		t.Errorf("%v allocations, want at most %v", got, allocationsOfCall)
	}
}

const allocationsOfCall = 30 // 20, and what a pool that was emptied costs
