package mcphttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// failing is a response whose client reads the first event and then leaves, or does not read on.
type failing struct {
	*httptest.ResponseRecorder
	err error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.Body.Len() > 0 {
		return 0, f.err
	}
	return f.ResponseRecorder.Write(b)
}

// Of streams that clients leave nothing is logged, and of those that they do not read not everything: anybody can open
// any number of them.
func TestLogOfStreamsThatEnd(t *testing.T) {
	const streams = 100
	for name, row := range map[string]struct {
		err     error
		lines   int
		dropped int64
	}{
		"they leave":       {errors.New("write: connection reset by peer"), 0, 0},
		"they do not read": {fmt.Errorf("write: %w", os.ErrDeadlineExceeded), 20, streams - 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			var text bytes.Buffer
			log := slog.New(slog.NewTextHandler(&text, nil))
			r := newRigWith(t, &mcphttp.Options{Logger: log}, &mcp.Options{Logger: log, UpdateDelay: -1})
			text.Reset() // what it says when it is made
			body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
			var wg sync.WaitGroup
			for range streams {
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader(body))
				setHeaders(req, headers)
				wg.Go(func() { r.http.ServeHTTP(&failing{httptest.NewRecorder(), row.err}, req) })
				synctest.Wait()
				r.srv.ResourceUpdated("r:///ä")
				wg.Wait()
			}
			s := r.srv.Stats()
			if n := strings.Count(text.String(), "\n"); n != row.lines || s.LogRecordsDropped["rate"] != row.dropped {
				t.Errorf("%s: %d lines, %d left out: %.500s", name, n, s.LogRecordsDropped["rate"], text.String())
			}
			if n := s.ConnectionsClosed["unread"]; (n == streams) != (row.lines > 0) {
				t.Errorf("%s: %d unread", name, n)
			}
		})
	}
}

// held is a response whose client does not read large pieces until it may.
type held struct {
	*httptest.ResponseRecorder
	began chan string // gets the first piece
	on    chan struct{}
}

func (h *held) Write(b []byte) (int, error) {
	if h.Body.Len() == 0 {
		h.began <- string(b)
	}
	if len(b) > 1000 {
		<-h.on
	}
	return h.ResponseRecorder.Write(b)
}

// A response of HTTP+SSE for which there is no room does not wait for the client: its request ends, and the client gets
// an error when it reads on. Before that it cannot ask for more.
func TestSSEResponseWithoutRoom(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{SSE: true, MaxPendingBytes: 12_000}, nil, func(f *mcprt.Features) {
		f.Resources[0].Read = func(*mcprt.Call) (mcprt.Contents, error) {
			return mcprt.Text(strings.Repeat("x", 2000)), nil
		}
	})
	ctx, leave := context.WithCancel(t.Context())
	began, goOn := make(chan string, 1), make(chan struct{})
	stream := &held{ResponseRecorder: httptest.NewRecorder(), began: began, on: goOn}
	var wg sync.WaitGroup
	wg.Go(func() {
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/sse", nil)
		req.Header.Set("Accept", "text/event-stream")
		r.http.ServeHTTP(stream, req)
	})
	_, path, _ := strings.Cut(strings.TrimSpace(<-began), "data: ")
	post := func(body string) int {
		w := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		r.http.ServeHTTP(w, req)
		return w.Code
	}
	// await sends pings until one gets a status; the test has a time limit.
	await := func(status int) {
		t.Helper()
		for got := 0; got != status; time.Sleep(time.Millisecond) {
			if got = post(ping); got != 202 && got != 503 {
				t.Fatalf("status %d", got)
			}
		}
	}
	post(request("initialize",
		`"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}`))
	for len(r.srv.Stats().Requests) == 0 { // until it is answered
		time.Sleep(time.Millisecond)
	}
	post(request("resources/read", `"uri":"r:///ä"`))
	for r.srv.Stats().PendingBytes["unread"] == 0 { // until the first response waits for the client
		time.Sleep(time.Millisecond)
	}
	post(request("resources/read", `"uri":"r:///ä"`))
	for r.srv.Stats().Refusals["pending_bytes"] == 0 {
		time.Sleep(time.Millisecond)
	}
	await(503)
	close(goOn)
	await(202)
	leave()
	wg.Wait()
	refused := `"error":{"code":-32603,"message":"too many bytes of earlier`
	if text := stream.Body.String(); !strings.Contains(text, refused) {
		t.Errorf("the stream: %.3000s", text)
	}
}
