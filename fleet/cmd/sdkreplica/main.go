// Command sdkreplica is a replica made with the official Go SDK, as far as package compare needs one: an account that
// is read and edited, in a file that all replicas share. The SDK has no bus, so that an edit is announced to the
// clients of the replica that has made it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const account = "crm:///accounts/emea/1"

func main() {
	db := flag.String("db", "", "the account is in a file beside this one")
	addr := flag.String("http", "", "the address")
	_ = flag.Int("page", 0, "ignored")
	_ = flag.String("metrics", "", "ignored")
	flag.Parse()
	if err := serve(*addr, filepath.Join(filepath.Dir(*db), "owner")); err != nil {
		fmt.Fprintln(os.Stderr, "sdkreplica:", err)
		os.Exit(1)
	}
}

type edit struct {
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	Value  string `json:"value"`
}

func serve(addr, file string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdkreplica", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	s.AddResource(&mcp.Resource{URI: account, Name: "account"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, _ := os.ReadFile(file) // none at first
			owner := fmt.Sprintf(`{"owner":%q}`, text)
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: account, Text: owner}}}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "edit"}, func(ctx context.Context, _ *mcp.CallToolRequest, e edit) (*mcp.CallToolResult,
		any, error) {
		if err := os.WriteFile(file, []byte(e.Value), 0o600); err != nil {
			return nil, nil, err
		}
		return nil, nil, s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: account})
	})
	get := func(*http.Request) *mcp.Server { return s }
	sessions := mcp.NewStreamableHTTPHandler(get, nil)
	modern := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) { // it serves 2026-07-28 without sessions only
		if r.Header.Get("Mcp-Protocol-Version") == "2026-07-28" {
			modern.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	hs := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	return hs.ListenAndServe()
}
