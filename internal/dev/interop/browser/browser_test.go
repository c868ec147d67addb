package browser

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

const (
	// patience bounds the whole, stepPatience one step of a page.
	patience     = 6 * time.Minute
	stepPatience = 2 * time.Minute
	alphaText    = "# Alpha\n\nThe first letter.\n"
)

// plan is what drive.mjs is told.
type plan struct {
	Chromium   string            `json:"chromium"`
	Sandbox    bool              `json:"sandbox"`
	Patience   int64             `json:"patience"`   // of one step, in milliseconds
	Dir        string            `json:"dir"`        // of the notes
	Notes      string            `json:"notes"`      // URL of a server
	Secured    string            `json:"secured"`    // URL of one that wants a token
	Pages      map[string]string `json:"pages"`      // URLs of page.html by the kind of its origin
	Inspectors map[string]string `json:"inspectors"` // URLs by the era of the protocol that they speak
}

// seen is what a page saw of the notes.
type seen struct {
	Revisions, List        []string
	Before, Updated, After string
	Missing                int
	Closed                 []any
}

// report is what drive.mjs prints.
type report struct {
	Modern, Legacy, Local seen
	Token                 struct {
		Refused, Allowed int
		Challenge        string
	}
	Foreign    string
	Inspectors map[string]struct {
		Resources []string
		Shows     string
	}
}

// TestBrowsers lets pages in Chromium list and read notes, subscribe, and see an update: from an origin that
// -allow-origin names and from one of this machine, with a session and without, and with the page of the MCP
// Inspector. A page of another origin gets nothing.
func TestBrowsers(t *testing.T) {
	node := findNode(t)
	p := plan{Chromium: findChromium(t), Sandbox: os.Geteuid() != 0, Patience: stepPatience.Milliseconds(),
		Dir: t.TempDir()}
	p.Pages = servePages(t)
	p.Notes = startNotes(t, p.Dir, p.Pages["allowed"])
	p.Secured = serveSecured(t, p.Dir, p.Pages["allowed"])
	p.Inspectors = map[string]string{
		"modern": startInspector(t, node, p.Notes, "modern"),
		"legacy": startInspector(t, node, p.Notes, "legacy"),
	}
	r := drive(t, node, &p)

	checkSeen(t, "modern page", &r.Modern, "edited by a modern page", "2026-07-28", -32602)
	checkSeen(t, "legacy page", &r.Legacy, "edited by a legacy page", "2025-11-25", -32002)
	checkSeen(t, "local page", &r.Local, "edited by a local page", "2026-07-28", -32602)
	if c := r.Legacy.Closed; len(c) != 3 || c[0] != 204.0 || c[1] != 404.0 ||
		!strings.Contains(c[2].(string), "session does not exist") {
		t.Errorf("the end of a session gives %v", c)
	}
	if k := r.Token; k.Refused != 401 || k.Challenge != `Bearer realm="notes"` || k.Allowed != 200 {
		t.Errorf("token: %+v", k)
	}
	if r.Foreign != "TypeError" {
		t.Errorf("a foreign page gets %s", r.Foreign)
	}
	for _, era := range []string{"modern", "legacy"} {
		i := r.Inspectors[era]
		if !slices.Equal(i.Resources, []string{"readme", "index", "alpha", "beta", "note"}) ||
			i.Shows != "edited for the "+era+" Inspector" {
			t.Errorf("the %s Inspector displays %+v", era, i)
		}
	}
}

// checkSeen checks what a page saw of the notes.
func checkSeen(t *testing.T, who string, s *seen, after, revision string, missing int) {
	t.Helper()
	want := []string{"docs:///readme", "notebook:///index", "notes:///alpha", "notes:///beta"}
	if !slices.Equal(s.List, want) || !slices.Contains(s.Revisions, revision) || s.Updated != "notes:///alpha" ||
		s.After != after || s.Missing != missing {
		t.Errorf("%s: %+v", who, s)
	}
}

// drive runs drive.mjs.
func drive(t *testing.T, node string, p *plan) (r report) {
	t.Helper()
	// tells go test to run again when they change
	for _, name := range []string{"drive.mjs", "inspector.mjs", "page.html", "package-lock.json"} {
		if _, err := os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "drive.mjs", string(text))
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("drive.mjs: %v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	return r
}

// servePages serves page.html under three names: that of this machine, and two that only this browser knows.
func servePages(t *testing.T) map[string]string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		http.ServeFile(w, r, "page.html")
	}))
	t.Cleanup(web.Close)
	u, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"local": web.URL, "allowed": "http://page.test:" + u.Port(),
		"foreign": "http://foreign.test:" + u.Port()}
}

// startNotes starts golden/notes as a process and returns its URL. Pages of origin may call it.
func startNotes(t *testing.T, dir, origin string) string {
	t.Helper()
	for name, text := range map[string]string{"alpha": alphaText, "beta": "# Beta\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	addr := run(t, exec.Command(build(t, "notes"), "-dir", dir, "-http", "127.0.0.1:0", "-allow-origin", origin),
		regexp.MustCompile(`serving" address=(\S+)`))
	return "http://" + addr + mcphttp.Path
}

// serveSecured serves the notes to who has a token, and returns its URL. Pages of origin may call it.
func serveSecured(t *testing.T, dir, origin string) string {
	t.Helper()
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcphttp.Handler(srv, &mcphttp.Options{
		AllowedOrigins: []string{origin}, Logger: slog.New(slog.DiscardHandler),
		Authenticate: func(r *http.Request) (mcp.Caller, error) {
			if r.Header.Get("Authorization") != "Bearer page" {
				return mcp.Caller{}, &mcphttp.ChallengeError{Header: `Bearer realm="notes"`, Err: errors.New("no token")}
			}
			return mcp.Caller{Subject: "page"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.Close()
		_ = srv.Close()
		_ = n.Close()
	})
	return web.URL
}

// TestLockFile: the lock file pins contents, not the registry that one of us happens to use.
func TestLockFile(t *testing.T) {
	text, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"resolved"`) {
		t.Error("package-lock.json names a registry; .npmrc tells npm to leave that out")
	}
}
