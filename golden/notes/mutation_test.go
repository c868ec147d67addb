package notes_test

import (
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
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
