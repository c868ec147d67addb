// Command feedreplica is a replica of package feed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/fleet/feed"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	var c feed.Config
	addr := flag.String("http", "", "the address")
	flag.StringVar(&c.Dir, "dir", "", "the folder of the state")
	flag.IntVar(&c.Keys, "keys", 100, "how many keys there are")
	flag.DurationVar(&c.Lease, "lease", 0, "how long a replica must be silent until others deliver in its place")
	flag.StringVar(&c.NATS, "nats", "", "`URL` of a server with the events and subscriptions; empty means a file")
	flag.Parse()
	c.Key = []byte(os.Getenv("MCP_KEYS"))
	if err := serve(*addr, c); err != nil {
		log.Fatal(err)
	}
}

func serve(addr string, c feed.Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv, err := feed.New(ctx, c)
	if err != nil {
		return err
	}
	h, err := mcphttp.Handler(srv, &mcphttp.Options{Authenticate: func(r *http.Request) (mcp.Caller, error) {
		return mcp.Caller{Subject: r.Header.Get("Fleet-User"), Scopes: []string{feed.Scope}}, nil
	}})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/stats", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(srv.Hooks.Stats())
	})
	hs := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = hs.Close()
	}()
	if err := hs.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return srv.Close()
}
