//go:build !race

package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// maxBinary is the most bytes of a stripped server that speaks stdio only. The figure is the one
// that was reached, and a little: lower it when the size falls.
const maxBinary = 3_450_000

// TestBinarySize builds the quick start, and looks at what it is linked with: a package that costs
// much is seen here before it is seen in the size.
func TestBinarySize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	const pkg = "github.com/mcpgen/mcpgen/golden/notes/cmd/notes"
	deps, err := exec.Command("go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"net", "net/http", "regexp", "text/template", "go/ast", "testing"} {
		if strings.Contains("\n"+string(deps), "\n"+heavy+"\n") {
			t.Errorf("a server on stdio is linked with %s", heavy)
		}
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the limit is that of linux/amd64")
	}
	path := filepath.Join(t.TempDir(), "notes")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxBinary {
		t.Errorf("%d bytes, want %d at most", info.Size(), maxBinary)
	}
	t.Logf("%d bytes", info.Size())
}
