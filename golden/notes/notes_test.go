package notes_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func TestNote(t *testing.T) {
	srv, dir := newServer(t, nil)
	c := mcptest.New(t, srv)
	sub := c.Subscribe("notes:///today")
	if err := os.WriteFile(filepath.Join(dir, "today.md"), []byte("# Later\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if uri := sub.Next(); c.Read(uri) != "# Later\n" {
		t.Errorf("%s = %q", uri, c.Read(uri))
	}
}

// newServer returns a server over a directory with two notes.
func newServer(t *testing.T, opts *mcp.Options) (*notes.NotesServer, string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "plan.md", "# Plan\n\nFinish the *parser*.\n")
	write(t, dir, "today.md", "# Today\n")
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return srv, dir
}

// write writes a note and gives it a fixed time, so that transcripts are the same on every run.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	when := time.Date(2026, 7, 28, 9, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}
