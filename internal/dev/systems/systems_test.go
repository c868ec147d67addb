package systems

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Types are checked from source, with those of all imports. To compile these for another system takes far longer.
func TestCompiles(t *testing.T) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			roots, err := packages.Load(&packages.Config{
				Mode: mode, Dir: "../../..", Tests: true, Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
			}, "./mcp/...", "./cmd/...")
			if err != nil || len(roots) < 100 {
				t.Fatalf("%d packages: %v", len(roots), err)
			}
			packages.Visit(roots, nil, func(p *packages.Package) {
				for _, err := range p.Errors {
					t.Error(err)
				}
			})
		})
	}
}
