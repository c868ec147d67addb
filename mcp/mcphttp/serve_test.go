package mcphttp_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// limitedServer serves r by a server of the program, which tells when a connection waits for its next request.
func limitedServer(t *testing.T, r *rig, opts *mcphttp.Options) (s *httptest.Server, idle <-chan struct{}) {
	t.Helper()
	s = httptest.NewUnstartedServer(r.http)
	waits := make(chan struct{}, 100)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			waits <- struct{}{}
		}
	}
	l, err := mcphttp.Limit(s.Config, s.Listener, r.srv, opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Listener = l
	t.Cleanup(func() { _ = r.srv.Close(); s.Close() })
	return s, waits
}

// An idle connection of a server of the program is closed for a new one, over TLS and with HTTP/2 too.
func TestServeMakesRoom(t *testing.T) {
	t.Attr("requirements", "res-encrypt")
	for name, begin := range map[string]func(*httptest.Server){
		"plain":  (*httptest.Server).Start,
		"TLS":    (*httptest.Server).StartTLS,
		"HTTP/2": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			s, idle := limitedServer(t, r, &mcphttp.Options{MaxConnections: 2})
			begin(s)
			body, headers := modern("tools/call", "who", `"name":"who"`)
			for i := range 4 {
				c := &http.Client{Transport: s.Client().Transport.(*http.Transport).Clone()}
				defer c.CloseIdleConnections()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				setHeaders(req, headers)
				resp, err := c.Do(req)
				if err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
				text, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK || name == "HTTP/2" && resp.ProtoMajor != 2 {
					t.Fatalf("%s %d: %s", resp.Proto, resp.StatusCode, text)
				}
				<-idle
				if name == "HTTP/2" {
					<-idle // the first time is before the request
				}
			}
			got := r.srv.Stats()
			if got.ConnectionsClosed["idle"] == 0 || got.Refusals["connections"] != 0 ||
				got.Connections["http"] > 2 {
				t.Errorf("%d closed, %d refused, %d open", got.ConnectionsClosed["idle"],
					got.Refusals["connections"], got.Connections["http"])
			}
		})
	}
}

// What the program has set stays, and what it has not set is that of a Command.
func TestServeSettings(t *testing.T) {
	r := newRig(t, nil)
	var states []string
	hs := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.NotFoundHandler(),
		ConnState: func(_ net.Conn, s http.ConnState) { states = append(states, s.String()) }}
	p := newPipes()
	if _, err := mcphttp.Limit(hs, p, r.srv, nil); err != nil {
		t.Fatal(err)
	}
	hs.ConnState(nil, http.StateIdle)
	if got := fmt.Sprint(hs.ReadHeaderTimeout, hs.IdleTimeout, hs.MaxHeaderBytes, states, hs.ErrorLog != nil); got !=
		"1m0s 2m0s 65536 [idle] true" {
		t.Error(got)
	}
	for name, f := range map[string]func() error{
		"an option": func() error {
			_, err := mcphttp.Limit(new(http.Server), p, r.srv, &mcphttp.Options{MaxConnections: -1})
			return err
		},
		"no server": func() error { _, err := mcphttp.Limit(new(http.Server), p, noServer{}, nil); return err },
		"WriteTimeout": func() error {
			_, err := mcphttp.Limit(&http.Server{WriteTimeout: 1}, p, r.srv, nil)
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Serve uses TLS if the http.Server is set up for it. What cannot be served is an error, and closes the listener.
func TestServeOverTLS(t *testing.T) {
	r := newRig(t, nil)
	certified := httptest.NewTLSServer(r.http)
	defer certified.Close()
	listen := func() net.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	hs := &http.Server{Handler: r.http, TLSConfig: certified.TLS.Clone()}
	l, served := listen(), make(chan error, 1)
	go func() { served <- mcphttp.Serve(hs, l, r.srv, nil) }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := certified.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // a client closes the connection of a body that it has not read
	_ = resp.Body.Close()
	if n := r.srv.Stats().Connections["http"]; n != 1 {
		t.Errorf("%d connections", n)
	}
	again := listen()
	err = mcphttp.Serve(hs, again, r.srv, nil)
	if _, closed := again.Accept(); err == nil || !errors.Is(closed, net.ErrClosed) {
		t.Errorf("served twice: %v, and the listener: %v", err, closed)
	}
	_ = hs.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}
