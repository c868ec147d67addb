package interop

import (
	"os"
	"os/exec"
	"path/filepath"
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

// buildNotes builds golden/notes/cmd/notes once.
var buildNotes = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat(filepath.Join(root, "golden/notes/cmd/notes/main.go")); err != nil {
		return "", err
	}
	bin := filepath.Join(built, "notes.exe")
	out, err := exec.Command("go", "build", "-ldflags=-w", "-o", bin,
		"github.com/mcpgen/mcpgen/golden/notes/cmd/notes").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return bin, nil
})

// notesServer returns the path of the program and a directory with two notes for it to serve.
func notesServer(t *testing.T) (bin, dir string) {
	t.Helper()
	bin, err := buildNotes()
	if err != nil {
		t.Fatalf("building the notes server: %v\n%s", err, bin)
	}
	dir = t.TempDir()
	writeNote(t, dir, "alpha", alphaText)
	writeNote(t, dir, "beta", betaText)
	return bin, dir
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
