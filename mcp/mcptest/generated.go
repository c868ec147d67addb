package mcptest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// CheckGenerated fails the test if the mcp_gen.go of the package under test is stale. It runs mcpgen -check in the
// folder of the package, with the version of mcpgen that the module requires. The test that mcpgen -test writes calls
// it. Without a go command the test is skipped.
func CheckGenerated(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("mcptest: no go command to run mcpgen with")
	}
	// This looks at the sources, so that the go command does not use a cached test result after they have changed: the
	// directives in them are not in the test binary.
	sources, _ := filepath.Glob("*.go")
	for _, file := range sources {
		_, _ = os.Stat(file)
	}
	out, err := exec.CommandContext(t.Context(), "go", "run", "github.com/mcpgen/mcpgen/cmd/mcpgen", "-check",
		".").CombinedOutput()
	if err != nil {
		t.Errorf("mcpgen -check: %v\n%s", err, bytes.TrimSpace(out))
	}
}
