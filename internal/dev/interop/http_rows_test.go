package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// poster turns the lines of a dialog into POST requests, and what they bring back into lines.
type poster struct {
	d       *dialog
	client  *http.Client
	session string
}

// startHTTP is start for a testserver at a Unix socket.
func startHTTP(t *testing.T, rev rune) *dialog {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	d := startBare(t, rev, "-unix", socket)
	_ = d.in.Close()
	d.in = &poster{d: d, client: overSocket(t, socket)}
	d.open()
	return d
}

// overSocket waits until somebody serves at a socket and returns a client that reaches nothing else.
func overSocket(t *testing.T, socket string) *http.Client {
	t.Helper()
	var dialer net.Dialer
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Millisecond) {
		if conn, err := dialer.Dial("unix", socket); err == nil {
			conn.Close()
			break
		}
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", socket)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Write sends a message, or a batch.
func (p *poster) Write(text []byte) (int, error) {
	req, err := http.NewRequest(http.MethodPost, "http://localhost/mcp",
		bytes.NewReader(bytes.TrimSuffix(text, []byte("\n"))))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	p.label(req.Header, text)
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 64<<20)
	events := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	for lines.Scan() {
		line := lines.Text()
		if data, ok := strings.CutPrefix(line, "data: "); events && !ok || ok && data == "" {
			continue
		} else if events {
			line = data
		}
		p.d.lines <- line
	}
	return len(text), lines.Err()
}

// label sets the headers that repeat the body.
func (p *poster) label(h http.Header, text []byte) {
	var m struct {
		Method string
		Params map[string]json.RawMessage
	}
	_ = json.Unmarshal(text, &m)
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(m.Params["_meta"], &meta)
	var version string
	if _ = json.Unmarshal(meta[versionKey], &version); version == "" {
		if p.session != "" {
			h.Set("Mcp-Session-Id", p.session)
			h.Set("Mcp-Protocol-Version", revisions[p.d.rev])
		}
		return
	}
	h.Set("Mcp-Protocol-Version", version)
	h["Mcp-Method"] = []string{m.Method}
	member := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
		"tasks/get": "taskId"}[m.Method]
	var name string
	if json.Unmarshal(m.Params[member], &name) == nil && member != "" {
		h.Set("Mcp-Name", fmt.Sprintf("=?base64?%s?=", base64.StdEncoding.EncodeToString([]byte(name))))
	}
}

// Close asks the server to end, as input at its end does on stdio.
func (p *poster) Close() error {
	p.client.CloseIdleConnections()
	return p.d.cmd.Process.Signal(syscall.SIGTERM)
}

// TestHTTPRows asks the rows of stdio over HTTP; nothing else may be answered there.
func TestHTTPRows(t *testing.T) {
	t.Attr("requirements", "http-method-header http-header-base64")
	tables := map[string][]row{
		"methods": methodRows, "resources": resourceRows, "lists": listRows,
		"completion": completionRows, "tools": toolRows, "subscribe": subscribeRows,
	}
	for _, letter := range allRevisions {
		for name, rows := range tables {
			t.Run(revisions[letter]+"/"+name, func(t *testing.T) {
				d := startHTTP(t, letter)
				for _, r := range rows {
					if letter == 'E' && r.method != strings.TrimSpace(r.method) {
						continue // no header carries such a method
					}
					if strings.Contains(r.params, `"name":"print"`) {
						continue // output of the process is not the protocol's here
					}
					d.ask(r)
				}
				if rest := d.end(); len(rest) > 0 {
					t.Errorf("unasked: %q", rest)
				}
			})
		}
	}
}

// TestGoClientHTTP drives the notes server over HTTP with the official Go SDK, in the newest and the oldest
// revision that it speaks there.
func TestGoClientHTTP(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
		t.Run(revision, func(t *testing.T) {
			bin, dir := notesServer(t)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			socket := filepath.Join(t.TempDir(), "s")
			cmd := exec.CommandContext(ctx, bin, "-dir", dir, "-unix", socket)
			cmd.Stderr = t.Output()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				if err := cmd.Wait(); err != nil {
					t.Errorf("the server ends with %v", err)
				}
			}()
			c := &goClient{t: t, ctx: ctx, dir: dir, updated: make(chan string, 64), acks: make(chan struct{}, 64)}
			c.connect(&sdk.StreamableClientTransport{
				Endpoint: "http://localhost/mcp", HTTPClient: overSocket(t, socket),
			}, revision)
			if got := c.InitializeResult().ProtocolVersion; got != revision {
				t.Fatalf("agreed on %s, asked for %s", got, revision)
			}
			c.lists()
			c.reads()
			c.notFound(revision)
			c.completes()
			c.callsTool()
			c.callsToolBadly(revision)
			c.subscribe("notes:///alpha", revision == "2026-07-28")
			writeNote(t, dir, "alpha", alphaAfter)
			c.await("notes:///alpha")
			if got := c.read("notes:///alpha"); got != alphaAfter {
				t.Errorf("alpha after its update %q", got)
			}
			if err := c.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}
