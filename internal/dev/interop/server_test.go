package interop

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	// The program is built from these. Importing them makes go test run again when they change.
	_ "github.com/mcpgen/mcpgen/golden/notes"
	_ "github.com/mcpgen/mcpgen/mcp/stdio"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

const (
	root = "../../.."
	// What the notes of a test are at first, and what alpha is after its edit.
	alphaText  = "# Alpha\n\nThe first letter.\n"
	betaText   = "# Beta\n\nThe second letter.\n"
	alphaAfter = "# Alpha\n\nThe first letter, edited.\n"
)

// built is the directory of the built programs; TestMain removes it.
var built string

func TestMain(m *testing.M) {
	os.Exit(scratch.With("interop", func(dir string) int {
		built = dir
		return m.Run()
	}))
}

// building is held while a program is built.
var building sync.Mutex

// build builds a program of this project, in a folder below the root, once.
func build(t testing.TB, folder string, flags ...string) (bin string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, folder, "main.go")); err != nil { // go test runs again when it changes
		t.Fatal(err)
	}
	building.Lock()
	defer building.Unlock()
	bin = filepath.Join(built, path.Base(folder)+".exe")
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	args := slices.Concat([]string{"build", "-ldflags=-w", "-o", bin}, flags,
		[]string{"github.com/mcpgen/mcpgen/" + folder})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", folder, err, out)
	}
	return bin
}

// notesServer returns the path of the program and a directory with two notes for it to serve.
func notesServer(t *testing.T) (bin, dir string) {
	t.Helper()
	dir = t.TempDir()
	writeNote(t, dir, "alpha", alphaText)
	writeNote(t, dir, "beta", betaText)
	return build(t, "golden/notes/cmd/notes"), dir
}

// writeNote replaces a note in one step, so that no reader sees half of it.
func writeNote(t *testing.T, dir, name, text string) {
	t.Helper()
	tmp := filepath.Join(dir, name+".tmp")
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(dir, name+".md")); err != nil {
		t.Fatal(err)
	}
}

// inCI reports whether a missing part is an error and no reason to skip.
func inCI() bool { return os.Getenv("CI") == "true" }

// absent skips a test whose part is missing on a developer's machine, and fails it in CI.
func absent(t *testing.T, why any) {
	t.Helper()
	if inCI() {
		t.Fatal(why)
	}
	t.Skip(why)
}
