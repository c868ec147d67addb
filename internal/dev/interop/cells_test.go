package interop

import (
	"os/exec"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/overlay"
)

// TestCells runs the tests of package cells with the server that mcpgen makes of it now.
func TestCells(t *testing.T) {
	t.Attr("requirements", "schema-dialect tool-output tool-validate")
	const cells = "./testdata/cells"
	o := overlay.Generate(t, ".", cells)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", o.Flag, cells)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
