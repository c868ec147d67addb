// Command web serves the small server of one library over HTTP, at /mcp for clients of the older
// revisions and at /modern for those of 2026-07-28. It prints its address and ends with its input.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
	"github.com/mcpgen/mcpgen/bench/servers/ours"
	"github.com/mcpgen/mcpgen/bench/servers/sdk"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// many is a bound for what one client may open that no row reaches.
const many = 100_000

func main() {
	log.SetFlags(0)
	legacy, modern, err := handlers(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", legacy)
	mux.Handle("/modern", modern)
	mux.HandleFunc("/memory", memory)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(l.Addr())
	log.Fatal(http.Serve(l, mux))
}

// handlers returns those of a library. The SDK answers with JSON as the others do, which is its
// quicker way, and serves the newest revision without sessions only.
func handlers(name string) (legacy, modern http.Handler, err error) {
	switch name {
	case work.Ours:
		srv, err := ours.NewBenchServer(ours.BenchImpl{}, nil)
		if err != nil {
			return nil, nil, err
		}
		h := mcphttp.Handler(srv, &mcphttp.Options{
			MaxSessions: many, MaxStreams: many, MaxPerClient: many, Logger: slog.New(slog.DiscardHandler),
		})
		return h, h, nil
	case work.SDK:
		get := func(s *mcp.Server) func(*http.Request) *mcp.Server {
			return func(*http.Request) *mcp.Server { return s }
		}
		return mcp.NewStreamableHTTPHandler(get(sdk.New()), &mcp.StreamableHTTPOptions{JSONResponse: true}),
			mcp.NewStreamableHTTPHandler(get(sdk.New()), &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true}), nil
	case work.MCPGo:
		h := server.NewStreamableHTTPServer(mcpgo.New(), server.WithStateful(true))
		return h, h, nil
	}
	return http.HandlerFunc(null), http.HandlerFunc(null), nil
}

// null reads a request and writes as much as a right answer has: what net/http alone costs.
func null(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(work.NullAnswer(body))
}

// memory tells what the process holds, without garbage.
func memory(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	_ = json.NewEncoder(w).Encode(work.Memory{Bytes: m.HeapAlloc + m.StackInuse, Goroutines: runtime.NumGoroutine()})
}
