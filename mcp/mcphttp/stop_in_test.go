package mcphttp

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// A handler that does not return is waited for as long as the grace period, and not as long as last words may take: the
// server has answered in its place.
func TestEndDoesNotWaitForHandlersThatAreLeft(t *testing.T) {
	srv, err := mcprt.NewServer(new(mcprt.Features), &mcp.Options{Grace: time.Millisecond,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	began, proceed, served := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	hs := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { close(began); <-proceed })}
	go func() { served <- hs.Serve(l) }()
	go func() {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+l.Addr().String(), nil)
		if err == nil {
			var resp *http.Response
			if resp, err = new(http.Transport).RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
		}
		served <- err
	}()
	<-began
	e := ender{hs: hs, srv: srv, log: slog.New(slog.DiscardHandler), words: time.Hour}
	e.end() // or the test never ends
	close(proceed)
	for range 2 {
		if <-served == nil {
			t.Error("the handler that was left has answered")
		}
	}
}
