//go:build unix

package mcphttp_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// socketOfChild is set for a process that is a server at that socket, whose one tool never returns.
const socketOfChild = "MCPHTTP_TEST_SOCKET"

// serveStubbornly is the main function of such a process.
func serveStubbornly(socket string) {
	srv, err := mcprt.NewServer(&mcprt.Features{
		Info:         protocol.Implementation{Name: "stubborn", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools: []mcprt.Tool{{
			Entry: &protocol.Tool{Name: "stay", InputSchema: []byte(`{"type":"object"}`)},
			Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				fmt.Println("staying")
				select {}
			},
		}},
		RouteTool: func(string) int { return 0 },
	}, &mcp.Options{Grace: time.Hour})
	if err != nil {
		panic(err)
	}
	fs := flag.NewFlagSet("", flag.PanicOnError)
	c := mcphttp.AddFlags(fs)
	_ = fs.Parse([]string{"-unix", socket})
	fmt.Println(c.Run(context.Background(), srv))
	os.Exit(0)
}

// The first signal asks a server to end, the second one does not ask.
func TestSecondSignal(t *testing.T) {
	dir, err := os.MkdirTemp("", "mcp") //nolint:usetesting // short: the name of a socket has 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), socketOfChild+"="+socket)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill() }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	until(t, func() bool { return status(t, client) == http.StatusOK })
	if resp, err := client.Get("http://localhost/"); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("/ gives %v, %v", resp, err)
	} else {
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if !strings.Contains(string(text), "endpoint is at /mcp") {
			t.Errorf("/ says %q", text)
		}
	}
	called := make(chan struct{})
	go func() {
		defer close(called)
		body, headers := modern("tools/call", "stay", `"name":"stay"`)
		req, _ := http.NewRequest(http.MethodPost, target, strings.NewReader(body))
		setHeaders(req, headers)
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	_, _ = out.Read(make([]byte, 1)) // the tool is running
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return status(t, client) != http.StatusOK })
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if how, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || how.Signal() != syscall.SIGTERM {
		t.Errorf("the process ended with %v, want by the second signal", child.ProcessState)
	}
	<-called
}

// status is what the probe for readiness answers; 0 if nobody does.
func status(t *testing.T, c *http.Client) int {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// until waits for a state of another process, which nobody here can be told of.
func until(t *testing.T, state func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !state(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}
