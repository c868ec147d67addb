package notes_test

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func TestConstructor(t *testing.T) {
	if srv, err := notes.NewNotesServer(notes.NotesImpl{}, nil); srv != nil || err == nil ||
		err.Error() != "mcp: NotesImpl.Notes is nil: the server has nothing to call" {
		t.Errorf("got %v, %v", srv, err)
	}
	n, err := notes.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	if srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{PageSize: -1}); srv != nil || err == nil {
		t.Errorf("wrong options: got %v, %v", srv, err)
	}
}

func TestParse(t *testing.T) {
	if v, err := notes.ParseNoteURI("notes:///a%20b"); v != (notes.NoteVars{Name: "a b"}) || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
	for _, uri := range []string{"notes:///", "notes:///a/b", "notebook:///index", "other:///x"} {
		if v, err := notes.ParseNoteURI(uri); v != (notes.NoteVars{}) || !errors.Is(err, mcp.ErrNotFound) {
			t.Errorf("%s: got %q, %v", uri, v, err)
		}
	}
}

// A file whose name no URI can have is no note: lists leave it out, and the log names it once.
func TestListsOfWhatCanBeRead(t *testing.T) {
	var log bytes.Buffer
	srv, dir := newServer(t, &mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	write(t, dir, ".md", "no name")
	write(t, dir, "...md", "the name of a folder")
	c := mcptest.New(t, srv)
	var listed []string
	for range 2 {
		listed = listed[:0]
		for _, r := range c.List() {
			listed = append(listed, r.URI)
		}
	}
	want := []string{"docs:///readme", "notebook:///index", "notes:///plan", "notes:///today"}
	if slices.Sort(listed); !slices.Equal(listed, want) {
		t.Errorf("listed are %q, want %q", listed, want)
	}
	if n := strings.Count(log.String(), "a listed resource cannot be read"); n != 2 {
		t.Errorf("%d files are in the log:\n%s", n, &log)
	}
}
