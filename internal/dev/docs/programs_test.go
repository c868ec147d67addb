package docs

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

// programs are those that tests have built, because linking one takes longer than what most tests do with it.
var programs struct {
	sync.Mutex
	dir string
}

func TestMain(m *testing.M) {
	os.Exit(scratch.With("docs", func(dir string) int {
		programs.dir = dir
		return m.Run()
	}))
}

// program returns the program of a package of this repository.
func program(t *testing.T, pkg string) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	bin := filepath.Join(programs.dir, strings.NewReplacer(".", "", "/", "_").Replace(pkg)+".exe")
	if _, err := os.Stat(bin); err != nil {
		run(t, root, nil, "go", "build", "-ldflags=-s -w", "-o", bin, pkg)
	}
	return bin
}
