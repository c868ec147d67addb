package mcphttp_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A handler serves the clients of all revisions at one URL. Authenticate finds out who they are.
func ExampleHandler() {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	check(err)
	defer srv.Close()
	h, err := mcphttp.Handler(srv, &mcphttp.Options{
		Authenticate: func(r *http.Request) (mcp.Caller, error) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				return mcp.Caller{}, errors.New("no such token")
			}
			return mcp.Caller{Subject: "ada"}, nil
		},
	})
	check(err)
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	web := httptest.NewServer(mux)
	defer web.Close()

	for _, token := range []string{"guess", "secret"} {
		r, err := http.NewRequest(http.MethodPost, web.URL+mcphttp.Path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
				`"capabilities":{},"clientInfo":{"name":"example","version":"1"}}}`))
		check(err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		check(err)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		check(err)
		fmt.Println(resp.StatusCode, strings.Contains(string(body), `"protocolVersion":"2025-06-18"`))
	}
	// Output:
	// 401 false
	// 200 true
}

// A program with an http.Server of its own gets the limits on connections, and all deadlines, from Serve.
func ExampleServe() {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	check(err)
	defer srv.Close()
	opts := &mcphttp.Options{MaxConnections: 1000, MaxRequests: 100}
	h, err := mcphttp.Handler(srv, opts)
	check(err)
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	mux.Handle("GET /readyz", mcphttp.Ready(srv))

	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	address := l.Addr().String()
	hs := &http.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- mcphttp.Serve(hs, l, srv, opts) }()

	resp, err := http.Get("http://" + address + "/readyz")
	check(err)
	resp.Body.Close()
	fmt.Println(resp.StatusCode, srv.Stats().Connections["http"])
	http.DefaultClient.CloseIdleConnections()
	check(hs.Close())
	fmt.Println(<-served)
	// Output:
	// 200 1
	// http: Server closed
}

// check ends an example that fails.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
