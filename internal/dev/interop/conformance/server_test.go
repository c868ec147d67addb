package conformance

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	// The program is built from these. Importing them makes go test run again when they change.
	_ "github.com/mcpgen/mcpgen/golden/everything"
	_ "github.com/mcpgen/mcpgen/mcp/mcphttp"

	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/scratch"
)

const (
	program = "github.com/mcpgen/mcpgen/golden/everything/cmd/everything"
	// startPatience is how long the server may take until it listens.
	startPatience = 2 * time.Minute
)

// built is the directory of the built programs; TestMain removes it.
var built string

func TestMain(m *testing.M) {
	os.Exit(scratch.With("conformance", func(dir string) int {
		built = dir
		defer stop()
		return m.Run()
	}))
}

// running is the one server that all tests share.
var running *exec.Cmd

// stop ends the server.
func stop() {
	if running != nil {
		_ = running.Process.Signal(os.Interrupt)
		_ = running.Wait()
	}
}

// start builds and starts the server once and returns its URL.
var start = sync.OnceValues(func() (url string, err error) {
	bin := filepath.Join(built, "everything.exe")
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", bin, program).CombinedOutput(); err != nil {
		return string(out), err
	}
	addr, err := freeport.Find(context.Background())
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(bin, "-http", addr)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return "", err
	}
	running = cmd
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return "http://" + addr + "/mcp", nil
		}
		if time.Since(begin) > startPatience {
			stop()
			return stderr.String(), err
		}
	}
})

// serverURL returns the URL of the running server.
func serverURL(t *testing.T) string {
	t.Helper()
	url, err := start()
	if err != nil {
		t.Fatalf("starting %s: %v\n%s", program, err, url)
	}
	return url
}
