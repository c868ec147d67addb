package restart

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/freeport"
)

const (
	root     = "../../../.."
	patience = time.Minute
)

// notes is golden/notes as a process with keys, and the programs of two of its releases.
type notes struct {
	t              *testing.T
	old, upgraded  string
	dir, keys, url string
	process        *exec.Cmd
	exited         chan error
}

// newNotes builds both releases. The later one has another version, and so other lists.
func newNotes(t *testing.T) *notes {
	t.Helper()
	dir := t.TempDir()
	n := &notes{t: t, dir: filepath.Join(dir, "notes"), keys: filepath.Join(dir, "keys"),
		old: filepath.Join(dir, "old.exe"), upgraded: filepath.Join(dir, "upgraded.exe")}
	generated, err := filepath.Abs(filepath.Join(root, "golden/notes/mcp_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(generated)
	if err != nil || bytes.Count(text, []byte(`"1.0.0"`)) != 1 {
		t.Fatalf("the version of golden/notes is not where it was: %v", err)
	}
	later, overlay := filepath.Join(dir, "later.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{generated: later}})
	if err != nil {
		t.Fatal(err)
	}
	n.write(later, strings.Replace(string(text), `"1.0.0"`, `"2.0.0"`, 1))
	n.write(overlay, string(list))
	n.build(n.old)
	n.build(n.upgraded, "-overlay", overlay)
	if err := os.Mkdir(n.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	address, err := freeport.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n.url = "http://" + address
	return n
}

func (n *notes) write(file, text string) {
	n.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

func (n *notes) build(to string, flags ...string) {
	n.t.Helper()
	args := append(append([]string{"build"}, flags...), "-ldflags=-w", "-o", to, "./golden/notes/cmd/notes")
	cmd := exec.CommandContext(n.t.Context(), "go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("%v\n%s", err, out)
	}
}

// start starts a program and waits until it serves.
func (n *notes) start(program string) {
	n.t.Helper()
	n.process = exec.Command(program, "-dir", n.dir, "-keys", n.keys, "-http", strings.TrimPrefix(n.url, "http://"))
	logs, err := n.process.StderrPipe()
	if err == nil {
		err = n.process.Start()
	}
	if err != nil {
		n.t.Fatal(err)
	}
	serves := make(chan bool, 1)
	n.exited = make(chan error, 1)
	go func() {
		for lines := bufio.NewScanner(logs); lines.Scan(); {
			if strings.Contains(lines.Text(), "mcphttp: serving") {
				serves <- true
			}
		}
		n.exited <- n.process.Wait()
	}()
	select {
	case <-serves:
	case err := <-n.exited:
		n.t.Fatalf("%s has ended: %v", program, err)
	case <-time.After(patience):
		n.t.Fatal("the server does not start")
	}
}

// end ends the process by a signal.
func (n *notes) end(signal syscall.Signal) {
	n.t.Helper()
	if err := n.process.Process.Signal(signal); err != nil {
		n.t.Fatal(err)
	}
	select {
	case <-n.exited:
	case <-time.After(patience):
		n.t.Fatal("the server does not end")
	}
}

// counter stands between one client and the server, and counts what the client should not need.
type counter struct {
	*httptest.Server

	initialized, unknown atomic.Int64 // requests, and responses 404
}

func (n *notes) newCounter(t *testing.T) *counter {
	t.Helper()
	to, err := url.Parse(n.url)
	if err != nil {
		t.Fatal(err)
	}
	c := new(counter)
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // the client sees what it would see without what stands between
		},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode == http.StatusNotFound && r.Request.URL.Path == "/mcp" { // not what mcp-remote asks about OAuth
				c.unknown.Add(1)
			}
			return nil
		},
	}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has left
		}
		if bytes.Contains(body, []byte(`"method":"initialize"`)) {
			c.initialized.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { c.CloseClientConnections(); c.Close() })
	return c
}
