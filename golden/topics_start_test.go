package golden

import (
	"testing"

	"github.com/mcpgen/mcpgen/golden/twins"
	"github.com/mcpgen/mcpgen/golden/vault"
	"github.com/mcpgen/mcpgen/mcp"
)

func startTwins(t *testing.T, o *mcp.Options) server {
	products := twins.NewProductStore()
	srv, err := twins.NewShopServer(twins.ShopImpl{Product: products, Counter: &twins.Counter{Products: products},
		Book: new(twins.Book)}, o)
	return started(t, srv, err)
}

func startVault(t *testing.T, o *mcp.Options) server {
	v := new(vault.Vault)
	for _, name := range []string{"one", "two", "t wo"} {
		if _, err := v.Write(t.Context(), vault.WriteIn{Name: name, Text: "x"}, mcp.Caller{Subject: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := vault.NewVaultServer(vault.VaultImpl{Vault: v, Middleware: new(vault.Tracer)}, o)
	return started(t, srv, err)
}
