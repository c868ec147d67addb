package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/dev/interop/httpfixture"
)

// sseDir has the bridges from stdio to HTTP+SSE.
const sseDir = "sse"

// TestTypeScriptSSE drives several servers over HTTP+SSE with version 1 of the TypeScript SDK.
func TestTypeScriptSSE(t *testing.T) {
	needTS(t)
	for _, revision := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			s := httpfixture.StartSSE(t, openValidator(t), revision)
			r := runTS(t, "v1", revision, s.Dir, s.Notes, s.Desk, s.Ask)
			checkTS(t, r, revision, -32002)
			checkTSPrompts(t, r, revision)
			if b := r.Booked; revision >= "2025-06-18" && (b.Name != "Ada" || b.Class != "first") {
				t.Errorf("booked %+v", b)
			}
			if revision >= "2025-11-25" && (!r.Paid || r.Advice != "Old. (1 folders)") {
				t.Errorf("paid %t, advice %q", r.Paid, r.Advice)
			}
		})
	}
}

// TestBridgesSSE drives the notes server through programs that speak stdio to their client and only HTTP+SSE to the
// server, with the official Go SDK, and over HTTP+SSE with that SDK itself.
func TestBridgesSSE(t *testing.T) {
	for name, args := range map[string][]string{
		"go-sdk":       nil,
		"mcp-remote":   {"mcp-remote/dist/proxy.js", "$url", "--transport", "sse-only", "--allow-http"},
		"supergateway": {"supergateway/dist/index.js", "--sse", "$url", "--logLevel", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const revision = "2025-11-25"
			s := httpfixture.StartSSE(t, openValidator(t), revision)
			ctx, cancel := context.WithTimeout(t.Context(), nodePatience)
			defer cancel()
			var way sdk.Transport = &sdk.SSEClientTransport{Endpoint: s.Notes}
			if args != nil {
				way = bridge(t, ctx, s.Notes, args)
			}
			c := &goClient{t: t, ctx: ctx, dir: s.Dir, updated: make(chan string, 64), acks: make(chan struct{}, 64)}
			c.connect(way, revision)
			c.lists()
			c.reads()
			c.notFound(revision)
			c.callsTool()
			c.subscribe("notes:///alpha", false)
			writeNote(t, s.Dir, "alpha", alphaAfter)
			if name == "supergateway" { // which passes no notifications of the server on
				for c.read("notes:///alpha") != alphaAfter {
					time.Sleep(10 * time.Millisecond)
				}
			} else {
				c.await("notes:///alpha")
			}
			if got := c.read("notes:///alpha"); got != alphaAfter {
				t.Errorf("alpha after its update %q", got)
			}
			if err := c.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// bridge starts a program of node_modules as a server on stdio.
func bridge(t *testing.T, ctx context.Context, url string, args []string) sdk.Transport {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		absent(t, "the bridges to HTTP+SSE need node 20 and npm: "+err.Error())
	}
	if text, err := installSSE(); err != nil {
		absent(t, "the bridges to HTTP+SSE are missing, run make setup: "+err.Error()+"\n"+text)
	}
	list := append([]string(nil), args...)
	list[0] = filepath.Join(sseDir, "node_modules", list[0])
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "$url", url)
	}
	cmd := exec.CommandContext(ctx, "node", list...)
	cmd.Env = append(os.Environ(), "MCP_REMOTE_CONFIG_DIR="+t.TempDir())
	cmd.Stderr = t.Output()
	return &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}
}

// installSSE runs npm ci once per checkout.
var installSSE = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat(filepath.Join(sseDir, "node_modules")); err == nil {
		return "", nil
	}
	cmd := exec.Command("npm", "ci", "--no-progress")
	cmd.Dir = sseDir
	out, err := cmd.CombinedOutput()
	return string(out), err
})
