package robustness

import (
	"bufio"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// listenOf asks for the updates of n notes, from the given one on.
func listenOf(first, n int) string {
	var uris []string
	for i := range n {
		uris = append(uris, fmt.Sprintf(`"notes:///n%d"`, first+i))
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":`+
		`{"resourceSubscriptions":[%s]},%s}}`, strings.Join(uris, ","), modernMeta)
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s",
		strings.Replace(rawHead("POST", "/mcp", "Mcp-Method", "subscriptions/listen"), "Mcp-Name: echo\r\n", "", 1),
		len(body), body)
}

// honoured returns how many URIs the acknowledgement of a listen names; -1 if the listen was refused.
func (c *raw) honoured() int {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		switch {
		case strings.Contains(s.Text(), "notifications/subscriptions/acknowledged"):
			return strings.Count(s.Text(), "notes:///n")
		case strings.Contains(s.Text(), `"error"`):
			return -1
		}
	}
	c.t.Fatal("neither an acknowledgement nor an error")
	return 0
}

// TestListensOfManyURIs: what listens ask to be watched is bounded in all and for each client; what does not exist is
// not watched. A client beyond its
// share leaves room for others, and room that it gives up is room again. One line of the log tells of a listen, not one
// for each URI.
func TestListensOfManyURIs(t *testing.T) {
	records, audit := &journal{more: make(chan struct{})}, &journal{more: make(chan struct{})}
	folder := manyNotes(t, 600)
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: folder}, &mcp.Options{
		MaxWatchers: 40, MaxTotalSubscriptions: 1000, Grace: time.Second,
		Logger: slog.New(slog.NewTextHandler(records, nil)), Audit: slog.New(slog.NewTextHandler(audit, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	s := serve(t, srv.Server, mcphttp.Options{})

	absent := s.dial()
	absent.write(listenOf(1000, 50))
	if n := absent.honoured(); n != 50 {
		t.Errorf("a listen of 50 that do not exist gets %d", n)
	}
	if n := srv.Stats().Watchers; n != 0 {
		t.Errorf("%d watchers of what does not exist", n)
	}
	_ = absent.Close()

	hostile := s.dial()
	hostile.write(listenOf(0, 100))
	if n := hostile.honoured(); n != 10 {
		t.Errorf("a listen of 100 gets %d, want a quarter of 40", n)
	}
	if text, _ := audit.all(); strings.Count(text, "decision=deny") != 90 {
		t.Errorf("%d of the 90 URIs that are refused have a record", strings.Count(text, "decision=deny"))
	}
	again := s.dial()
	again.write(listenOf(100, 100))
	if n := again.honoured(); n != 0 {
		t.Errorf("the next listen of the same client gets %d, want none", n)
	}
	huge := s.dial()
	huge.write(listenOf(200, 300))
	if n := huge.honoured(); n != -1 {
		t.Errorf("a listen beyond the subscriptions of a client gets %d, want an error", n)
	}
	other := s.from("127.0.0.2")
	other.write(listenOf(5, 30))
	if n := other.honoured(); n != 10 {
		t.Errorf("another client gets %d of 30, want a quarter of 40", n)
	}
	if text, _ := records.all(); strings.Count(text, "subscriptions refused") != 3 || strings.Contains(text, "n99") {
		t.Errorf("logged:\n%.2000s", text)
	}

	_ = hostile.Close()
	_ = again.Close()
	s.honoursAll(500, 5)
}

// manyNotes opens a folder of n notes.
func manyNotes(t *testing.T, n int) *notes.Notes {
	t.Helper()
	dir := t.TempDir()
	folder, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%d.md", i)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

// honoursAll waits until there is room for a listen of n URIs from the first on.
func (s *fixture) honoursAll(first, n int) {
	s.t.Helper()
	for late := time.Now().Add(patience); ; {
		c := s.dial()
		c.write(listenOf(first, n))
		got := c.honoured()
		_ = c.Close()
		if got == n {
			return
		}
		if time.Now().After(late) {
			s.t.Fatalf("a listen of %d gets %d after the others have ended", n, got)
		}
	}
}
