//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/stdio"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

func init() { childMain = func(name string) { children[name]() } }

// children are the programs that the tests below start. What is wrong goes to stderr, where the tests look.
var children = map[string]func(){
	"noise":    noiseChild,
	"echo":     func() { echo(stdio.New(nil)) },
	"stop":     func() { stopChild(stdio.New(nil)) },
	"released": releasedChild,
	"off":      func() { stopChild(stdio.New(&stdio.Options{NoSignals: true})) },
	"second":   secondChild,
	"restore":  restoreChild,
	"gone":     goneChild,
}

func complain(format string, args ...any) { fmt.Fprintf(os.Stderr, "WRONG: "+format+"\n", args...) }

// say writes a message and does not expect trouble.
func say(c transport.Conn, msg string) {
	if err := c.WriteMessage([]byte(msg)); err != nil {
		complain("write %s: %v", msg, err)
	}
}

func echo(c transport.Conn) {
	msgs, err := readEach(c, func(msg []byte) { say(c, string(msg)) })
	if err != io.EOF {
		complain("the input ended after %d messages with %v", msgs, err)
	}
}

func readEach(c transport.Conn, do func(msg []byte)) (n int, end error) {
	var buf []byte
	for {
		if buf, end = c.ReadMessage(buf); end != nil {
			return n, end
		}
		n++
		do(buf)
	}
}

// inherited is a program that looks for file descriptors that it should not have, and copies its input.
const inherited = `echo NOISE child; cat
for fd in 3 4 5 6 7 8 9; do
	if (: >&$fd) 2>/dev/null; then echo "WRONG: fd $fd was inherited"; fi
done`

// noiseChild prints in every way that user code can think of, and tries to eat the input.
func noiseChild() {
	early := os.Stdout
	c := stdio.New(nil)
	_, err := readEach(c, func(msg []byte) {
		fmt.Println("NOISE println")
		_, _ = os.Stdout.WriteString("NOISE no newline")
		_, _ = early.WriteString("NOISE kept variable\n")
		_, _ = syscall.Write(1, []byte("NOISE syscall\n"))
		sh := exec.Command("/bin/sh", "-c", inherited)
		sh.Stdin, sh.Stdout = os.Stdin, os.Stdout
		if err := sh.Run(); err != nil {
			complain("child: %v", err)
		}
		if n, err := os.Stdin.Read(make([]byte, 10)); n > 0 || err != io.EOF {
			complain("user code read %d bytes of input, %v", n, err)
		}
		say(c, string(msg))
	})
	if err != io.EOF {
		complain("end of input: %v", err)
	}
}

// stopChild answers when it is asked to stop, then hangs until its input ends.
func stopChild(c transport.Conn) {
	stopped := c.(transport.Stopper).Stopped()
	say(c, "ready")
	<-stopped
	say(c, "stopped")
	<-c.(transport.Stopper).Stopped()
	_, _ = c.ReadMessage(nil)
}

func releasedChild() {
	c := stdio.New(nil)
	stopped := c.(transport.Stopper).Stopped()
	say(c, "ready")
	_, _ = c.ReadMessage(nil)
	c.Close()
	fmt.Println("closed")
	<-stopped
	complain("stopped after Close")
}

func secondChild() {
	first, second := stdio.New(nil), stdio.New(nil)
	_, rerr := second.ReadMessage(nil)
	werr := second.WriteMessage(nil)
	if rerr == nil || werr == nil || !strings.Contains(rerr.Error(), "one stdio conn at a time") {
		complain("second conn: %v, %v", rerr, werr)
	}
	second.Close()
	say(first, "first")
	first.Close()
	third := stdio.New(nil)
	say(third, "third")
	echo(third)
}

// restoreChild closes the conn under a reader that waits in the kernel.
func restoreChild() {
	before := os.Stdout
	c := stdio.New(nil)
	go c.ReadMessage(nil)
	say(c, "open")
	if err := c.Close(); err != nil {
		complain("Close: %v", err)
	}
	if err := c.WriteMessage([]byte("late")); err != transport.ErrClosed {
		complain("write after Close: %v", err)
	}
	if os.Stdout != before {
		complain("os.Stdout was not restored")
	}
	fmt.Println("println works again")
	_, _ = syscall.Write(1, []byte("so does fd 1\n"))
}

func goneChild() {
	c := stdio.New(nil)
	_, _ = c.ReadMessage(nil) // the test has closed its ends
	_, stderr := fmt.Fprintln(os.Stderr, "nobody reads this")
	stdout := c.WriteMessage([]byte("nor this"))
	if errors.Is(stderr, syscall.EPIPE) && errors.Is(stdout, syscall.EPIPE) {
		os.Exit(7)
	}
}

// child is a started program with its streams.
type child struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// command returns this binary as the named child. A child that hangs is killed, so that its test fails.
func command(t *testing.T, name string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "MCPGEN_STDIO_CHILD="+name)
	return cmd
}

func start(t *testing.T, name string) *child {
	t.Helper()
	c := &child{Cmd: command(t, name)}
	c.Stderr = &c.stderr
	c.in, _ = c.StdinPipe()
	out, _ := c.StdoutPipe()
	c.out = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// finish ends the input and waits. It returns what was left on stdout.
func (c *child) finish(t *testing.T) string {
	t.Helper()
	c.in.Close()
	rest, _ := io.ReadAll(c.out)
	if err := c.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
	if s := c.stderr.String(); strings.Contains(s, "WRONG") {
		t.Error(s)
	}
	return string(rest)
}

func (c *child) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line); err != nil {
		t.Fatal(err)
	}
}

func (c *child) expect(t *testing.T, line string) {
	t.Helper()
	if got, err := c.out.ReadString('\n'); got != line+"\n" {
		_ = c.Process.Kill()
		_ = c.Wait() // until stderr is whole
		t.Fatalf("got %q, %v; want %q. stderr:\n%s", got, err, line, c.stderr.String())
	}
}

func TestNoiseStaysOutOfTheStream(t *testing.T) {
	t.Attr("requirements", "stdio-stdout")
	c := start(t, "noise")
	c.send(t, "{1}\n")
	c.expect(t, "{1}")
	c.send(t, "{2}\r\n\n{3}")
	if got := c.finish(t); got != "{2}\n{3}\n" {
		t.Errorf("stdout carried %q", got)
	}
	if n := strings.Count(c.stderr.String(), "NOISE"); n != 15 {
		t.Errorf("stderr has %d of 15 lines of noise:\n%s", n, c.stderr.String())
	}
}

func TestStopSignals(t *testing.T) {
	t.Attr("requirements", "init-shutdown")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, sig) // else the child ignores SIGINT, as this process does in the background of a shell
			defer signal.Stop(caught)
			c := start(t, "stop")
			c.expect(t, "ready")
			_ = c.Process.Signal(sig)
			c.expect(t, "stopped")
			if got := c.finish(t); got != "" {
				t.Errorf("stdout carried %q", got)
			}
		})
	}
}

func TestSignalsThatAreNotCaught(t *testing.T) {
	tests := []struct {
		name, child string
		before      func(t *testing.T, c *child)
	}{
		{"second signal", "stop", func(t *testing.T, c *child) {
			c.expect(t, "ready")
			_ = c.Process.Signal(syscall.SIGTERM)
			c.expect(t, "stopped")
		}},
		{"after Close", "released", func(t *testing.T, c *child) {
			c.expect(t, "ready")
			c.send(t, "{}\n")
			c.expect(t, "closed")
		}},
		{"switched off", "off", func(t *testing.T, c *child) { c.expect(t, "ready") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := start(t, tt.child)
			defer c.in.Close()
			tt.before(t, c)
			_ = c.Process.Signal(syscall.SIGTERM)
			err := c.Wait()
			status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != syscall.SIGTERM {
				t.Errorf("the process ended with %v, want SIGTERM. stderr:\n%s", err, c.stderr.String())
			}
		})
	}
}

func TestOneConnPerProcess(t *testing.T) {
	c := start(t, "second")
	c.expect(t, "first")
	c.expect(t, "third")
	c.send(t, "{}\n")
	c.expect(t, "{}")
	c.finish(t)
}

func TestCloseRestores(t *testing.T) {
	c := start(t, "restore")
	c.expect(t, "open")
	c.expect(t, "println works again")
	c.expect(t, "so does fd 1")
	c.finish(t)
}

func TestNoInputAtStart(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `exec "$0" <&-`, os.Args[0])
	cmd.Env = append(os.Environ(), "MCPGEN_STDIO_CHILD=echo")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("got %q, %v; want a quiet end", out, err)
	}
}

func TestPeerGone(t *testing.T) {
	cmd := command(t, "gone")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	errs, _ := cmd.StderrPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	errs.Close()
	in.Close()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("the process ended with %v, want EPIPE from both streams and exit code 7", err)
	}
}

// TestSharedFileTurnsNonBlocking lets the parent change the mode of the pipes under the child.
func TestSharedFileTurnsNonBlocking(t *testing.T) {
	inR, inW, _ := os.Pipe()
	outR, outW, _ := os.Pipe()
	defer outR.Close()
	cmd := command(t, "echo")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = outR.SetReadDeadline(time.Now().Add(time.Minute)) // our copy of outW hides the end of a child that fails
	lines := bufio.NewReader(outR)
	large := strings.Repeat("x", 1<<20) // more than the pipe holds
	for _, msg := range []string{"{1}", large, "{2}", large} {
		nonBlocking(t, inR, outW)
		if _, err := io.WriteString(inW, msg+"\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := lines.ReadString('\n'); got != msg+"\n" {
			t.Fatalf("%d bytes came back as %d, %v. stderr:\n%s", len(msg), len(got), err, stderr.String())
		}
	}
	inW.Close()
	outW.Close()
	inR.Close()
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("the process ended with %v, %s", err, stderr.String())
	}
}

func nonBlocking(t *testing.T, files ...*os.File) {
	t.Helper()
	for _, f := range files {
		if err := syscall.SetNonblock(int(f.Fd()), true); err != nil {
			t.Fatal(err)
		}
	}
}
