// Command web serves the guarded server of one library over HTTP, or one answer for every request, which is in a file:
// at /mcp for clients of the older revisions and at /modern for those of 2026-07-28. It prints its address and ends
// with its input.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
	"github.com/mcpgen/mcpgen/bench/servers/ours/guarded"
	"github.com/mcpgen/mcpgen/bench/servers/ours/jobs"
	"github.com/mcpgen/mcpgen/bench/servers/sdk"
	mcpgen "github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Bounds that no row reaches: of what one client may open, and of a request.
const (
	many    = 100_000
	maxBody = 32 << 20
)

func main() {
	log.SetFlags(0)
	lib, err := serve(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", lib.legacy)
	mux.Handle("/modern", lib.modern)
	mux.HandleFunc("/publish", func(http.ResponseWriter, *http.Request) { lib.publish() })
	mux.HandleFunc("/memory", memory)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(l.Addr())
	log.Fatal(http.Serve(l, mux))
}

// served is what the server of one library gives.
type served struct {
	legacy, modern http.Handler
	publish        func() // an update of the resource work.News
}

// serve returns the server of a library. The SDK answers with JSON as the others do, which is its quicker way, and serves
// the newest revision without sessions only. mcp-go knows no subscription to one resource: it tells all its sessions.
func serve(name string) (served, error) {
	switch name {
	case work.Ours:
		return serveOurs(0)
	case work.AtOnce:
		return serveOurs(-1)
	case work.Jobs:
		return serveJobs()
	case work.SDK:
		return serveSDK(), nil
	case work.MCPGo:
		srv := mcpgo.Guarded()
		h := server.NewStreamableHTTPServer(srv, server.WithStateful(true),
			server.WithHTTPContextFunc(mcpgo.Authenticate))
		return served{h, h, func() {
			srv.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": work.News})
		}}, nil
	}
	answer, err := work.ReadAnswer(name)
	h := &null{answer: answer}
	return served{h, h, h.publish}, err
}

func serveSDK() served {
	get := func(s *mcp.Server) func(*http.Request) *mcp.Server {
		return func(*http.Request) *mcp.Server { return s }
	}
	legacy, modern := sdk.Guarded(nil), sdk.Guarded(nil)
	sessions := &mcp.StreamableHTTPOptions{JSONResponse: true, MaxRequestBodyBytes: maxBody, Logger: work.Logger()}
	stateless := &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true, MaxRequestBodyBytes: maxBody,
		Logger: work.Logger()}
	update := &mcp.ResourceUpdatedNotificationParams{URI: work.News}
	return served{
		legacy: sdk.Authenticate(mcp.NewStreamableHTTPHandler(get(legacy), sessions)),
		modern: sdk.Authenticate(mcp.NewStreamableHTTPHandler(get(modern), stateless)),
		publish: func() {
			_ = legacy.ResourceUpdated(context.Background(), update)
			_ = modern.ResourceUpdated(context.Background(), update)
		},
	}
}

func serveOurs(updateDelay time.Duration) (served, error) {
	srv, err := guarded.New(updateDelay)
	if err != nil {
		return served{}, err
	}
	h, err := handle(srv)
	return served{h, h, srv.NewsUpdated}, err
}

func serveJobs() (served, error) {
	srv, board, err := jobs.New()
	if err != nil {
		return served{}, err
	}
	h, err := handle(srv)
	return served{h, h, board.Advance}, err
}

// handle returns the endpoint of a server of ours.
func handle(srv mcphttp.Server) (http.Handler, error) {
	return mcphttp.Handler(srv, &mcphttp.Options{
		MaxSessions: many, MaxStreams: many, MaxPerClient: many, MaxBody: maxBody, Logger: work.Logger(),
		Authenticate: func(r *http.Request) (caller mcpgen.Caller, err error) {
			if r.Header.Get("Authorization") != "Bearer "+work.Token {
				return caller, errors.New("no token")
			}
			return guarded.Caller, nil
		},
	})
}

// memory tells what the process holds, without garbage.
func memory(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	_ = json.NewEncoder(w).Encode(work.Memory{Bytes: m.HeapAlloc + m.StackInuse, Goroutines: runtime.NumGoroutine()})
}
