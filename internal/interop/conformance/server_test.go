package conformance

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	// The program is built from these. Importing them makes go test run again when they change.
	_ "github.com/mcpgen/mcpgen/golden/everything"
	_ "github.com/mcpgen/mcpgen/mcp/transport/streamable"
)

const (
	program = "github.com/mcpgen/mcpgen/golden/everything/cmd/everything"
	// startPatience is how long the server may take until it listens.
	startPatience = 30 * time.Second
)

// scratch is the directory of the built program; TestMain removes it.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		panic(err)
	}
	scratch = dir
	code := m.Run()
	stop()
	os.RemoveAll(dir)
	os.Exit(code)
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
	bin := filepath.Join(scratch, "everything.exe")
	if out, err := exec.Command("go", "build", "-o", bin, program).CombinedOutput(); err != nil {
		return string(out), err
	}
	addr, err := freeAddr()
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

// freeAddr returns an address at which nobody listens.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// serverURL returns the URL of the running server.
func serverURL(t *testing.T) string {
	t.Helper()
	url, err := start()
	if err != nil {
		t.Fatalf("starting %s: %v\n%s", program, err, url)
	}
	return url
}
