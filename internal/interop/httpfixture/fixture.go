// Package httpfixture serves example servers of golden over HTTP to clients of other projects, and passes every message
// of both sides to the validator.
package httpfixture

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/internal/interop/validator"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// What the notes of a fixture are at first.
const (
	Alpha = "# Alpha\n\nThe first letter.\n"
	Beta  = "# Beta\n\nThe second letter.\n"
)

// Fixture is three servers at one address.
type Fixture struct {
	Notes, Desk, Ask string // URLs
	Dir              string // of the notes, alpha and beta
}

// Start serves until the test ends. Messages that have no revision of their own are judged by the given one; without
// schemas none is.
func Start(t *testing.T, schemas *validator.Schemas, revision string) *Fixture {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	s := &Fixture{Notes: web.URL + "/notes", Desk: web.URL + "/desk", Ask: web.URL + "/ask", Dir: t.TempDir()}
	watch := func(h http.Handler) http.Handler {
		if schemas == nil {
			return h
		}
		return &watched{Handler: h, t: t, session: schemas.Session(revision)}
	}
	mux.Handle("/notes", watch(serveNotes(t, s.Dir)))
	mux.Handle("/desk", watch(serveDesk(t)))
	mux.Handle("/ask", watch(serveAsk(t)))
	t.Cleanup(func() { // before the servers end
		web.CloseClientConnections()
		web.Close()
	})
	return s
}

func serveNotes(t *testing.T, dir string) http.Handler {
	t.Helper()
	for name, text := range map[string]string{"alpha": Alpha, "beta": Beta} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		n.Follow(ctx, srv)
	}()
	t.Cleanup(func() {
		cancel()
		<-over
		_ = n.Close()
	})
	return handler(t, srv.Server)
}

func serveDesk(t *testing.T) http.Handler {
	t.Helper()
	d := &desk.Desk{
		Tickets: []desk.Ticket{{Project: "OPS", Number: 1, Title: "Printer", Body: "It does not print.", Open: true}},
		Photo:   []byte("PNG"), Call: []byte("WAV"),
	}
	srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return handler(t, srv.Server)
}

func serveAsk(t *testing.T) http.Handler {
	t.Helper()
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return handler(t, srv.Server)
}

func handler(t *testing.T, srv *mcp.Server) http.Handler {
	t.Helper()
	t.Cleanup(func() { _ = srv.Close() })
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
