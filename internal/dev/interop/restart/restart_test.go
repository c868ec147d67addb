package restart

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/mcpgen/mcpgen/golden/notes" // built here; importing it makes go test run again when it changes
)

// session is a client with its session, and what has passed between it and the server.
type session struct {
	name  string
	call  search
	count *counter
}

// With -keys every client goes on with its session when the server is killed and starts again, and when another release
// takes its place. None has to initialize again, and no request gets 404.
func TestRestart(t *testing.T) {
	n := newNotes(t)
	n.add("first")
	n.start(n.old)
	var all []session
	for name, connect := range families {
		c := n.newCounter(t)
		all = append(all, session{name, connect(t, c.URL+"/mcp"), c})
	}
	began := map[string]int64{} // how often each has initialized by now; mcp-remote does so twice
	for _, s := range all {
		s.find(t, "first")
		began[s.name] = s.count.initialized.Load()
	}
	n.end(syscall.SIGKILL)
	n.add("restarted")
	n.start(n.old)
	for _, s := range all {
		s.find(t, "restarted")
		s.checkSession(t, "the kill", began[s.name], 1)
	}
	n.end(syscall.SIGTERM)
	n.add("upgraded")
	n.start(n.upgraded)
	for _, s := range all {
		s.find(t, "upgraded")
		s.checkSession(t, "the upgrade", began[s.name], 2)
	}
	for _, s := range all {
		s.count.CloseClientConnections()
	}
	n.end(syscall.SIGTERM)
}

// checkSession checks that the client has not initialized again after so many restarts, and has got no 404. It had
// initialized began times before.
func (s *session) checkSession(t *testing.T, after string, began, restarts int64) {
	t.Helper()
	again, unknown := s.count.initialized.Load()-began, s.count.unknown.Load()
	most := int64(0)
	if s.name == "Inspector" {
		most = restarts // it connects anew when its stream breaks, whatever the server would say
	}
	if began == 0 || again > most || unknown > 0 {
		t.Errorf("%s initialized %d times, and after %s %d times; %d responses 404", s.name, began, after, again, unknown)
	}
}

// find calls the tool, which finds a note.
func (s *session) find(t *testing.T, note string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if text, err := s.call(ctx, "note"); err != nil || !strings.Contains(text, note) {
		t.Errorf("%s has not found the note %s: %s, %v", s.name, note, text, err)
	}
}

// add adds a note that the calls find.
func (n *notes) add(name string) { n.write(filepath.Join(n.dir, name+".md"), "# A note\n") }
