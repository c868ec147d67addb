package golden

import (
	"path/filepath"
	"testing"
)

// clashing has variables and arguments with the names of what is generated for them, and of an import.
const clashing = `// Package zz x.
//
//mcp:server name=get
package zz

import "context"

// R x.
//
//mcp:resource uri=r:///{rVars}/{appendRURI}/{RURI}/{mcprt}/{routeGet} list=none
func R(ctx context.Context, rVars, appendRURI, RURI, mcprt, routeGet string) (string, error) {
	return rVars + appendRURI + RURI + mcprt + routeGet, nil
}

// S x.
//
//mcp:resource uri=s:///{routeGet}/{getServer} list=none
func S(ctx context.Context, routeGet, getServer string) (string, error) { return routeGet + getServer, nil }

// P x.
//
//mcp:prompt
func P(ctx context.Context, mcprt, pVars, callP, argsP string) (string, error) { return mcprt, nil }
`

// What is generated compiles whatever the variables of templates are called.
func TestClashingVariables(t *testing.T) {
	dir := tempModule(t, "", "example.com/m")
	write(t, filepath.Join(dir, "a.go"), clashing)
	outputs, refused := settle(t, dir)
	if len(outputs) != 1 || len(refused) > 0 {
		t.Fatalf("%d outputs, refused: %v", len(outputs), refused)
	}
	compileAll(t, dir, outputs)
}
