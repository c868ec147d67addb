package mcptest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newNotes returns the notes server over a directory with two notes.
func newNotes(t *testing.T) (*notes.NotesServer, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"today.md": "# Today\n", "plan.md": "# Plan\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv, dir
}

// Every call must work, and mean the same, in every revision.
func TestClient(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		t.Run(rev.String(), func(t *testing.T) {
			srv, dir := newNotes(t)
			c := mcptest.New(t, srv, mcptest.WithRevision(rev))
			var uris []string
			for _, r := range c.List() {
				uris = append(uris, r.URI)
			}
			if want := []string{"docs:///readme", "notebook:///index", "notes:///plan", "notes:///today"}; !slices.Equal(uris,
				want) {
				t.Errorf("List = %v, want %v", uris, want)
			}
			if got := c.Templates(); len(got) != 1 || got[0].URITemplate != "notes:///{name}" {
				t.Errorf("Templates = %+v", got)
			}
			if got := c.Read("notes:///today"); got != "# Today\n" {
				t.Errorf("Read = %q", got)
			}
			if got := c.Complete("notes:///{name}", "name", "to"); !slices.Equal(got, []string{"today"}) {
				t.Errorf("Complete = %v", got)
			}
			if got := c.Call("search", `{"query":"PLAN"}`); len(got.Content) != 1 || got.IsError != nil && *got.IsError {
				t.Errorf("Call = %+v", got)
			}
			if got := c.CallText("search", `{"query":"PLAN"}`); !strings.Contains(got, "notes:///plan") {
				t.Errorf("CallText = %q", got)
			}
			sub := c.Subscribe("notes:///today")
			if n := sub.Pending(); n != 0 {
				t.Errorf("%d changes of a new subscription", n)
			}
			if err := os.WriteFile(filepath.Join(dir, "today.md"), []byte("# Later\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			srv.NoteUpdated("today")
			if got := sub.Next(); got != "notes:///today" {
				t.Errorf("Next = %q", got)
			}
			list := c.SubscribeList()
			srv.NoteListChanged()
			list.Next()
			sub.Close()
		})
	}
}

func TestErrors(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		srv, _ := newNotes(t)
		c := mcptest.New(t, srv, mcptest.WithRevision(rev))
		if got := c.CallError("search", `{"query":7}`); !strings.HasPrefix(got.Error(), "invalid arguments: /query: must be a string") {
			t.Errorf("%s: search for a number: %q", rev, got)
		}
		fault, _ := errors.AsType[*wire.Error](c.ReadError("notes:///none"))
		want := -32002
		if rev == slices.Max(mcp.Revisions()) {
			want = -32602
		}
		if fault.Code != want || !strings.Contains(string(fault.Data), "notes:///none") {
			t.Errorf("%s: read of a missing note: %+v, want code %d with data.uri", rev, fault, want)
		}
		if len(c.Transcript()) == 0 {
			t.Errorf("%s: empty transcript", rev)
		}
	}
}
