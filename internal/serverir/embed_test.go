package serverir

import (
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// An embedded file has the type that the same file has below a root, and is text where that is.
func TestEmbeddedType(t *testing.T) {
	const files = "-- m000/conf.toml --\na = 1\n-- m000/READ.MD --\nx\n-- m000/a.zip --\nx\n-- m000/v1.2 --\nx\n"
	pkg, out := toolsOf(t, `// Package m000 has files.
//
//mcp:server name=files
package m000

import _ "embed"

//go:embed conf.toml
//mcp:resource uri=x:///conf
var Conf []byte

//go:embed READ.MD
//mcp:resource uri=x:///read
var Read []byte

//go:embed a.zip
//mcp:resource uri=x:///zip
var Zip []byte

//go:embed v1.2
//mcp:resource uri=x:///none
var None []byte
`, files)
	want := []struct {
		mime   string
		result ir.ResultKind
	}{
		{"application/toml", ir.ResultTextBytes}, {"text/markdown", ir.ResultTextBytes},
		{"application/zip", ir.ResultBlob}, {"application/octet-stream", ir.ResultBlob},
	}
	if pkg == nil || len(pkg.Servers) != 1 || len(pkg.Servers[0].Resources) != len(want) {
		t.Fatalf("%+v, %v", pkg, out.Sorted())
	}
	for i, r := range pkg.Servers[0].Resources {
		if r.MIME != want[i].mime || r.Result != want[i].result {
			t.Errorf("%s is %s, %v; want %s, %v", r.Name, r.MIME, r.Result, want[i].mime, want[i].result)
		}
	}
}
