// Command vault serves the letters of its user over MCP on stdio. The user of a stdio server is whoever has
// started it; here the program decides that this is ann, and what she may do.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"

	"github.com/mcpgen/mcpgen/golden/vault"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	impl := vault.VaultImpl{Vault: new(vault.Vault), Middleware: new(vault.Tracer)}
	srv, err := vault.NewVaultServer(impl, &mcp.Options{
		Caller: mcp.Caller{Subject: "ann", Scopes: []string{"vault", "vault.write"}},
		Audit:  slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	return srv.Serve(context.Background(), stdio.New(nil))
}
