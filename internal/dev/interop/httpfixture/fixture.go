// Package httpfixture serves example servers of golden over HTTP to clients of other projects, and passes every message
// of both sides to the validator.
package httpfixture

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/golden/desk"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
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
	return start(t, schemas, revision, new(replicas))
}

// StartReplicas is Start with several replicas of each server, behind a balancer that sends each request to the next
// one. They share keys, a bus and a store of sessions.
func StartReplicas(t *testing.T, schemas *validator.Schemas, revision string, n int) *Fixture {
	t.Helper()
	return start(t, schemas, revision, &replicas{
		more: n - 1,
		opts: &mcp.Options{Keys: [][]byte{[]byte("a key of the replicas")}, Bus: replica.Over(new(memory.Bus))},
		http: &mcphttp.Options{SessionStore: new(memory.Sessions)},
	})
}

// StartSSE is Start for clients that know HTTP+SSE only. It serves that at the URLs, and nothing else.
func StartSSE(t *testing.T, schemas *validator.Schemas, revision string) *Fixture {
	t.Helper()
	s := start(t, schemas, revision, &replicas{http: &mcphttp.Options{SSE: true}})
	s.Notes, s.Desk, s.Ask = s.Notes+mcphttp.SSEPath, s.Desk+mcphttp.SSEPath, s.Ask+mcphttp.SSEPath
	return s
}

// replicas says how servers are made.
type replicas struct {
	more int // besides the first
	opts *mcp.Options
	http *mcphttp.Options
}

// of returns a handler for all replicas of one server.
func (r *replicas) of(serve func() http.Handler) http.Handler {
	all := []http.Handler{serve()}
	for range r.more {
		all = append(all, serve())
	}
	var next atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		all[int(next.Add(1))%len(all)].ServeHTTP(w, q)
	})
}

func start(t *testing.T, schemas *validator.Schemas, revision string, of *replicas) *Fixture {
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
	for name, text := range map[string]string{"alpha": Alpha, "beta": Beta} {
		if err := os.WriteFile(filepath.Join(s.Dir, name+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, serve := range map[string]func() http.Handler{
		"/notes": func() http.Handler { return serveNotes(t, of, s.Dir) },
		"/desk":  func() http.Handler { return serveDesk(t, of) },
		"/ask":   func() http.Handler { return serveAsk(t, of) },
	} {
		if of.http != nil && of.http.SSE {
			path += mcphttp.SSEPath
		}
		mux.Handle(path, watch(of.of(serve)))
	}
	t.Cleanup(func() { // before the servers end
		web.CloseClientConnections()
		web.Close()
	})
	return s
}

func serveNotes(t *testing.T, of *replicas, dir string) http.Handler {
	t.Helper()
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, of.opts)
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
	return of.handler(t, srv.Server)
}

func serveDesk(t *testing.T, of *replicas) http.Handler {
	t.Helper()
	d := &desk.Desk{
		Tickets: []desk.Ticket{{Project: "OPS", Number: 1, Title: "Printer", Body: "It does not print.", Open: true}},
		Photo:   []byte("PNG"), Call: []byte("WAV"),
	}
	srv, err := desk.NewDeskServer(desk.DeskImpl{Desk: d}, of.opts)
	if err != nil {
		t.Fatal(err)
	}
	return of.handler(t, srv.Server)
}

func serveAsk(t *testing.T, of *replicas) http.Handler {
	t.Helper()
	srv, err := ask.NewAskServer(ask.AskImpl{}, of.opts)
	if err != nil {
		t.Fatal(err)
	}
	return of.handler(t, srv.Server)
}

func (r *replicas) handler(t *testing.T, srv *mcp.Server) http.Handler {
	t.Helper()
	t.Cleanup(func() { _ = srv.Close() })
	h, err := mcphttp.Handler(srv, r.http)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
