// Command web serves the guarded server of one library over HTTP, or one answer for every request, which is in a file:
// at /mcp for clients of the older revisions and at /modern for those of 2026-07-28. It prints its address and ends
// with its input.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgo"
	"github.com/mcpgen/mcpgen/bench/servers/ours/guarded"
	"github.com/mcpgen/mcpgen/bench/servers/sdk"
	mcpgen "github.com/mcpgen/mcpgen/mcp"
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
		return oursHandlers()
	case work.SDK:
		get := func(s *mcp.Server) func(*http.Request) *mcp.Server {
			return func(*http.Request) *mcp.Server { return s }
		}
		sessions := &mcp.StreamableHTTPOptions{JSONResponse: true, Logger: work.Logger()}
		stateless := &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true, Logger: work.Logger()}
		return sdk.Authenticate(mcp.NewStreamableHTTPHandler(get(sdk.Guarded(nil)), sessions)),
			sdk.Authenticate(mcp.NewStreamableHTTPHandler(get(sdk.Guarded(nil)), stateless)), nil
	case work.MCPGo:
		h := server.NewStreamableHTTPServer(mcpgo.Guarded(), server.WithStateful(true),
			server.WithHTTPContextFunc(mcpgo.Authenticate))
		return h, h, nil
	}
	answer, err := work.ReadAnswer(name)
	h := null(answer)
	return h, h, err
}

func oursHandlers() (legacy, modern http.Handler, err error) {
	srv, err := guarded.New()
	if err != nil {
		return nil, nil, err
	}
	h, err := mcphttp.Handler(srv, &mcphttp.Options{
		MaxSessions: many, MaxStreams: many, MaxPerClient: many, Logger: work.Logger(),
		Authenticate: func(r *http.Request) (caller mcpgen.Caller, err error) {
			if r.Header.Get("Authorization") != "Bearer "+work.Token {
				return caller, errors.New("no token")
			}
			return guarded.Caller, nil
		},
	})
	return h, h, err
}

// null returns a handler that reads a request and writes the same answer to all, with the same headers: what net/http
// alone costs.
func null(answer work.Answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for name, values := range answer.Header {
			if name != "Date" && name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		_, _ = w.Write(answer.Body)
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
