//go:build unix

package mcphttp_test

import (
	"cmp"
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

// socketOfChild is set for a process that is a server at that socket, whose tool "stay" never returns; "go" does.
const socketOfChild = "MCPHTTP_TEST_SOCKET"

// Of such a process: the grace period, and the delay after SIGTERM.
const (
	graceOfChild = "MCPHTTP_TEST_GRACE"
	delayOfChild = "MCPHTTP_TEST_DELAY"
)

// serveStubbornly is the main function of such a process.
func serveStubbornly(socket string) {
	duration := func(name string) time.Duration {
		d, err := time.ParseDuration(os.Getenv(name))
		if err != nil {
			panic(err)
		}
		return d
	}
	tool := func(name string, call func(*mcprt.Call, []byte) (mcprt.ToolResult, error)) mcprt.Tool {
		return mcprt.Tool{Entry: &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}, Call: call}
	}
	srv, err := mcprt.NewServer(&mcprt.Features{
		Info:         protocol.Implementation{Name: "stubborn", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Tools: &protocol.ServerCapabilitiesTools{}},
		Tools: []mcprt.Tool{
			tool("stay", func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				fmt.Print(".")
				select {}
			}),
			tool("go", func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				return mcprt.ToolResultOf(mcp.ToolText("gone"), nil)
			}),
		},
	}, &mcp.Options{Grace: duration(graceOfChild)})
	if err != nil {
		panic(err)
	}
	fs := flag.NewFlagSet("", flag.PanicOnError)
	c := mcphttp.AddFlags(fs)
	_ = fs.Parse([]string{"-unix", socket})
	c.Options.StopDelay = cmp.Or(duration(delayOfChild), -1)
	if err := c.Run(context.Background(), srv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is such a process, and a client of it.
type child struct {
	*exec.Cmd
	t    *testing.T
	out  io.Reader
	http *http.Client

	socket string // its path
}

// startChild returns once the process is ready. It is killed when the test ends.
func startChild(t *testing.T, grace, delay time.Duration) *child {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp") //nolint:usetesting // short: the name of a socket has 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	c := &child{Cmd: exec.Command(os.Args[0]), t: t, socket: socket}
	c.Env = append(os.Environ(), socketOfChild+"="+socket, graceOfChild+"="+grace.String(),
		delayOfChild+"="+delay.String())
	if c.out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = os.RemoveAll(dir)
	})
	c.http = &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	until(t, func() bool { return status(t, c.http) == http.StatusOK })
	return c
}

// signal asks the process to end.
func (c *child) signal() {
	c.t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
}

// call calls a tool and returns the status and the body of the answer.
func (c *child) call(name string) (int, string) {
	body, headers := modern("tools/call", name, `"name":"`+name+`"`)
	req, _ := http.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// The first signal asks a server to end, the second one does not ask. Between them the server is not ready, and serves
// whoever comes nevertheless.
func TestSecondSignal(t *testing.T) {
	for name, delay := range map[string]time.Duration{"in the delay": time.Hour, "in the grace period": 0} {
		t.Run(name, func(t *testing.T) {
			c := startChild(t, time.Hour, delay)
			if resp, err := c.http.Get("http://localhost/"); err != nil || resp.StatusCode != http.StatusNotFound {
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
				c.call("stay")
			}()
			_, _ = c.out.Read(make([]byte, 1)) // the tool is running
			c.signal()
			until(t, func() bool { return status(t, c.http) != http.StatusOK })
			if delay > 0 {
				if got := status(t, c.http); got != http.StatusServiceUnavailable {
					t.Errorf("/readyz is %d", got)
				}
				if code, text := c.call("go"); code != http.StatusOK || !strings.Contains(text, "gone") {
					t.Errorf("a call in the delay: %d %s", code, text)
				}
			}
			c.signal()
			_ = c.Wait()
			if how, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || how.Signal() != syscall.SIGTERM {
				t.Errorf("the process ended with %v, want by the second signal", c.ProcessState)
			}
			<-called
		})
	}
}

// Every request that was accepted is answered before the process ends, in place of its handler if need be, and the
// process always ends with the same status.
func TestStubbornHandlersAtTheEnd(t *testing.T) {
	const calls = 6
	c := startChild(t, 50*time.Millisecond, time.Millisecond)
	type answer struct {
		code int
		text string
	}
	answers := make(chan answer, calls)
	for range calls {
		go func() {
			code, text := c.call("stay")
			answers <- answer{code, text}
		}()
	}
	if _, err := io.ReadFull(c.out, make([]byte, calls)); err != nil { // all are running
		t.Fatal(err)
	}
	c.signal()
	for range calls {
		if a := <-answers; a.code != http.StatusOK || !strings.Contains(a.text, `"id":1,"error"`) {
			t.Errorf("answered with %d %s", a.code, a.text)
		}
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

// A process whose handler does not return ends when docs/deploy.md says: after StopDelay and Grace, and at most two
// seconds more, unless the machine is busy: one of three processes is enough.
func TestTimeOfSIGTERM(t *testing.T) {
	t.Parallel()
	const delay, grace, more = time.Second, 2 * time.Second, 2 * time.Second
	var took time.Duration
	for range 3 {
		if took = timeToEnd(t, delay, grace); took <= delay+grace+more {
			break
		}
	}
	if took < delay+grace || took > delay+grace+more {
		t.Errorf("the process ended after %v, want %v to %v", took, delay+grace, delay+grace+more)
	}
}

// timeToEnd returns how long a process takes to end after a signal while its handler does not return.
func timeToEnd(t *testing.T, delay, grace time.Duration) time.Duration {
	t.Helper()
	c := startChild(t, grace, delay)
	called := make(chan string, 1)
	go func() {
		_, text := c.call("stay")
		called <- text
	}()
	_, _ = c.out.Read(make([]byte, 1)) // the tool is running
	begun := time.Now()
	c.signal()
	err := c.Wait()
	took := time.Since(begun)
	if err != nil {
		t.Errorf("the process ended with %v", err)
	}
	if text := <-called; !strings.Contains(text, `"error"`) {
		t.Errorf("the call was answered with %q", text)
	}
	return took
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

// Who may connect to the socket is said by a flag.
func TestUnixMode(t *testing.T) {
	t.Attr("requirements", "practice-local")
	for _, mode := range []os.FileMode{0o600, 0o660} {
		socket := filepath.Join(t.TempDir(), "s")
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		c := mcphttp.AddFlags(fs)
		if err := fs.Parse([]string{"-unix", socket, "-unix-mode", fmt.Sprintf("%#o", mode)}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx, newRig(t, nil).srv) }()
		until(t, func() bool {
			info, err := os.Stat(socket)
			return err == nil && info.Mode().Perm() == mode
		})
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
