package stdio_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/mcp/stdio"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// childMain runs this test binary as the process under test. It is nil where there are no such tests.
var childMain func(name string)

func TestMain(m *testing.M) {
	if name := os.Getenv("MCPGEN_STDIO_CHILD"); name != "" {
		childMain(name)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// recorder keeps every Write as it came.
type recorder struct {
	writes []string
	most   int // bytes taken by one Write, 0 for all
	err    error
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.most > 0 && len(p) > r.most {
		p = p[:r.most]
	}
	r.writes = append(r.writes, string(p))
	return len(p), nil
}

func TestWriteIsOneCallPerMessage(t *testing.T) {
	t.Attr("requirements", "stdio-newline")
	large := "{" + strings.Repeat("x", 3<<20) + "}"
	tests := []struct{ name, msg, want string }{
		{"plain", "{}", "{}\n"},
		{"with its newline", "{}\n", "{}\n"},
		{"newline between tokens", "{\n\"a\":\n1}", "{ \"a\": 1}\n"},
		{"newlines inside and at the end", "{\n}\n\n", "{ }\n"},
		{"large", large, large + "\n"},
		{"large with its newline", large + "\n", large + "\n"},
	}
	var out recorder
	c := stdio.Over(nil, &out, nil)
	for _, tt := range tests {
		out.writes = nil
		msg := append(make([]byte, 0, len(tt.msg)+8), tt.msg...)
		if err := c.WriteMessage(msg); err != nil {
			t.Fatal(err)
		}
		if len(out.writes) != 1 || out.writes[0] != tt.want {
			t.Errorf("%s: %d writes, want one of %d bytes", tt.name, len(out.writes), len(tt.want))
		}
		if string(msg) != tt.msg || msg[:len(msg)+1][len(msg)] != 0 {
			t.Errorf("%s: the memory of the caller was changed", tt.name)
		}
	}
}

func TestPartialWrites(t *testing.T) {
	out := recorder{most: 3}
	c := stdio.Over(nil, &out, nil)
	for _, msg := range []string{"12345678", "{}\n"} {
		if err := c.WriteMessage([]byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(out.writes, ""); got != "12345678\n{}\n" {
		t.Errorf("wrote %q", got)
	}
}

type stuckWriter struct{}

func (stuckWriter) Write([]byte) (int, error) { return 0, nil }

func TestWriteErrorIsFinal(t *testing.T) {
	if err := stdio.Over(nil, stuckWriter{}, nil).WriteMessage([]byte("{}")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a writer that takes nothing: %v", err)
	}
	out := recorder{err: errors.New("cable cut")}
	c := stdio.Over(nil, &out, nil)
	first := c.WriteMessage([]byte("{}"))
	if !errors.Is(first, out.err) {
		t.Fatalf("got %v", first)
	}
	out.err = nil
	if again := c.WriteMessage([]byte("{}")); again != first || len(out.writes) > 0 {
		t.Errorf("the next write: %v, %q written; half a line may be out, the stream is lost", again, out.writes)
	}
}

func TestClosedStream(t *testing.T) {
	var out bytes.Buffer
	c := stdio.Over(strings.NewReader("{1}\n{2}\n"), &out, nil)
	if _, err := c.ReadMessage(nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if msg, err := c.ReadMessage([]byte("old")); err != transport.ErrClosed || len(msg) != 0 {
		t.Errorf("read: %q, %v", msg, err)
	}
	if err := c.WriteMessage([]byte("{}")); err != transport.ErrClosed || out.Len() > 0 {
		t.Errorf("write: %v, wrote %q", err, out.String())
	}
}

func TestCloseUnblocksStream(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	c := stdio.Over(server, server, nil)
	results := make(chan error, 2)
	go func() {
		_, err := c.ReadMessage(nil)
		results <- err
	}()
	go func() { results <- c.WriteMessage([]byte("{}")) }()
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range 2 {
		if err := <-results; err != transport.ErrClosed {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

func TestWriteTimeout(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if w.SetWriteDeadline(time.Time{}) != nil {
		t.Skip("pipes have no deadlines here")
	}
	if err := stdio.Over(r, w, &stdio.Options{WriteTimeout: time.Minute}).WriteMessage([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	c := stdio.Over(r, w, &stdio.Options{WriteTimeout: 20 * time.Millisecond})
	err = c.WriteMessage(bytes.Repeat([]byte("x"), 8<<20)) // more than any pipe holds
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want a deadline", err)
	}
}

func TestNewWithStreams(t *testing.T) {
	t.Attr("requirements", "stdio-stream")
	stdout := os.Stdout
	var out bytes.Buffer
	for range 2 { // does not own the process, so there may be more than one
		c := stdio.New(&stdio.Options{In: strings.NewReader("{1}\n"), Out: &out})
		if _, ok := c.(transport.Stopper); ok {
			t.Error("given streams cannot be asked to stop")
		}
		if msgs, err := readAll(c); len(msgs) != 1 || msgs[0] != "{1}" || err != io.EOF {
			t.Errorf("read %q, %v", msgs, err)
		}
		if err := c.WriteMessage([]byte("{2}")); err != nil {
			t.Error(err)
		}
	}
	if out.String() != "{2}\n{2}\n" || os.Stdout != stdout {
		t.Errorf("wrote %q, os.Stdout changed: %v", out.String(), os.Stdout != stdout)
	}
	c := stdio.New(&stdio.Options{In: strings.NewReader("")})
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stdout.Stat(); err != nil {
		t.Errorf("Close closed a stream that it was not given: %v", err)
	}
}

func TestWriteDoesNotAllocate(t *testing.T) {
	c := stdio.Over(nil, io.Discard, nil)
	plain := bytes.Repeat([]byte("x"), 90_000)
	ended := append(bytes.Repeat([]byte("x"), 2<<20), '\n')
	if n := testing.AllocsPerRun(100, func() { _ = c.WriteMessage(plain) }); n != 0 {
		t.Errorf("a message costs %v allocations, want 0", n)
	}
	if n := testing.AllocsPerRun(100, func() { _ = c.WriteMessage(ended) }); n != 0 {
		t.Errorf("a large message with its newline costs %v allocations, want 0", n)
	}
}

// An option that is out of range is an error that names it.
func TestOptionsOutOfRange(t *testing.T) {
	for want, opts := range map[string]stdio.Options{
		"MaxMessage is -1":    {MaxMessage: -1, In: strings.NewReader("{}\n")},
		"WriteTimeout is -1s": {WriteTimeout: -time.Second, In: strings.NewReader("{}\n")},
	} {
		for _, c := range []transport.Conn{stdio.New(&opts), stdio.Over(strings.NewReader("{}\n"), io.Discard, &opts)} {
			_, read := c.ReadMessage(nil)
			for _, err := range []error{read, c.WriteMessage([]byte("{}"))} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q: %v", want, err)
				}
			}
		}
	}
}
